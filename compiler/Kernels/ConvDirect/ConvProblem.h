// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a convolution or a product with a constant matrix asks for, as numbers:
// one form for the cost model and for the emitter.

#pragma once

#include "Graph/Graph.h"
#include <optional>

namespace convoy::kernels {

/// One convolution over two spatial dimensions. A product of an M x K by a K x N
/// matrix is a 1 x 1 convolution of M pixels from K to N channels.
struct ConvProblem {
  int64_t batch = 1;
  int64_t groups = 1;
  int64_t inputChannels = 0;  // of one group
  int64_t outputChannels = 0; // of one group
  int64_t inputRows = 1, inputColumns = 1;
  int64_t outputRows = 1, outputColumns = 1;
  int64_t kernelRows = 1, kernelColumns = 1;
  int64_t strideRows = 1, strideColumns = 1;
  int64_t dilationRows = 1, dilationColumns = 1;
  int64_t padTop = 0, padLeft = 0;
  bool isMatrix = false; // operands are matrices: pixels are rows, channels contiguous

  int64_t taps() const { return kernelRows * kernelColumns; }
  int64_t multiplications() const {
    return batch * groups * outputChannels * inputChannels * taps() * outputRows * outputColumns;
  }
  /// Each pixel of the result reads exactly one pixel, the one at its place.
  bool isPointwise() const {
    return taps() == 1 && strideRows == 1 && strideColumns == 1 && inputRows == outputRows &&
           inputColumns == outputColumns;
  }
  bool isDepthwise() const { return groups > 1 && inputChannels == 1; }
};

/// What integers stand for: values less their zero points.
struct IntegerOperands {
  int64_t inputZeroPoint = 0, weightZeroPoint = 0;
  bool isInputSigned = false, isWeightSigned = false;
};

/// A kernel of one convolution or product and the element-wise ops behind it, with
/// what a template needs to know of it.
struct ConvKernel {
  mlir::Operation *op = nullptr; // graph.conv or graph.matmul, or their integer forms
  unsigned input = 0;            // block arguments
  unsigned weight = 0;
  /// The epilogue reads the input too (y = x + conv(x)), so both must want it in
  /// the layout of the result.
  bool isInputReused = false;
  ConvProblem problem;
  /// Of an integer convolution or product.
  std::optional<IntegerOperands> integers;

  /// The operand that is added per channel, or null.
  mlir::Value bias() const;
};

/// Recognises a kernel on f32 in a block of graph ops (of a graph.kernel or of its
/// function), or says nothing: then the generic loops take it.
std::optional<ConvKernel> matchConvKernel(mlir::Block &body);

/// The same of integer_conv and integer_matmul on 8 bits.
std::optional<ConvKernel> matchIntegerKernel(mlir::Block &body);

/// Whether all ops that read an argument take one entry per channel from it: a bias,
/// or scales along the second dimension.
bool isChannelVector(mlir::BlockArgument argument);

/// The layout each argument of a matched kernel must have so that lanes run along
/// output channels in blocks of `block`; nullopt when some epilogue operand has no
/// such form. Entries of input and weight are null: their template knows.
std::optional<llvm::SmallVector<mlir::Attribute>> epilogueLayouts(const ConvKernel &kernel,
                                                                  mlir::Block &body, int64_t block);

/// The block arguments that the epilogue reads element by element at the place of
/// the result: they have its type.
llvm::SmallVector<unsigned> addedOperands(const ConvKernel &kernel, mlir::Block &body);

/// Whether no epilogue operand distinguishes rows from columns, so that all pixels
/// may be taken as one row.
bool isEpilogueFlat(const ConvKernel &kernel, mlir::Block &body);

} // namespace convoy::kernels
