// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parameters of a convolution or of a product with a constant matrix, shared by cost models and
// emitters.

#pragma once

#include "Graph/Graph.h"
#include "Support/ElementType.h"
#include <optional>
#include <string>

namespace convoy::kernels {

/// A convolution over two spatial dimensions. A product of an M x K by a K x N matrix is a 1 x 1
/// convolution of M pixels from K to N channels.
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
  bool isMatrix = false; // operands are matrices: rows are pixels, channels are contiguous

  int64_t taps() const { return kernelRows * kernelColumns; }
  int64_t multiplications() const {
    return batch * groups * outputChannels * inputChannels * taps() * outputRows * outputColumns;
  }
  /// Returns whether each result pixel reads exactly one input pixel, at the same position.
  bool isPointwise() const {
    return taps() == 1 && strideRows == 1 && strideColumns == 1 && inputRows == outputRows &&
           inputColumns == outputColumns;
  }
  bool isDepthwise() const { return groups > 1 && inputChannels == 1; }
};

/// Zero points and signedness of integer operands. An integer represents its value minus the zero
/// point.
struct IntegerOperands {
  int64_t inputZeroPoint = 0, weightZeroPoint = 0;
  bool isInputSigned = false, isWeightSigned = false;
  bool isInputWide = false; // 16 bits; other inputs and all weights have 8 bits

  /// Returns the input that represents zero, as an unsigned number of 8 or 16 bits.
  int64_t unsignedZero() const {
    int64_t lowest = isInputWide ? 1 << 15 : 1 << 7;
    return inputZeroPoint + (isInputSigned ? lowest : 0);
  }
};

/// A kernel of one convolution or product followed by element-wise ops, with the facts that
/// templates need.
struct ConvKernel {
  mlir::Operation *op = nullptr; // graph.conv or graph.matmul, or their integer forms
  unsigned input = 0;            // block argument numbers
  unsigned weight = 0;
  /// The type of the weights in memory. Weights of a float convolution or product may be f16 or
  /// bf16; the body converts them to f32.
  ElementType weightType = ElementType::F32;
  /// The epilogue also reads the input, as in y = x + conv(x). The input must then have the layout
  /// of the result.
  bool isInputReused = false;
  ConvProblem problem;
  /// Set if the convolution or product is on integers.
  std::optional<IntegerOperands> integers;

  /// Returns the operand that is added per channel, or null.
  mlir::Value bias() const;
  /// Returns the operand with one zero point of the weights per output channel, or null.
  mlir::Value weightZeroPoints() const;
  /// Returns whether the weights have a zero point as signed bytes. Templates that multiply bytes
  /// then subtract the zero point times the sum of the inputs.
  bool correctsWeights() const;
};

/// Sets the sizes along one or two spatial dimensions.
void setWindows(ConvProblem &problem, llvm::ArrayRef<int64_t> input, llvm::ArrayRef<int64_t> output,
                llvm::ArrayRef<int64_t> kernel, llvm::ArrayRef<int64_t> strides,
                llvm::ArrayRef<int64_t> dilations, llvm::ArrayRef<int64_t> pads);

/// Returns the windows of one channel of a pool. The caller sets the batch or the groups.
template <typename PoolT>
ConvProblem poolWindows(PoolT pool) {
  auto input = mlir::cast<mlir::RankedTensorType>(pool.getInput().getType());
  auto output = mlir::cast<mlir::RankedTensorType>(pool->getResult(0).getType());
  ConvProblem p;
  p.inputChannels = p.outputChannels = 1;
  setWindows(p, input.getShape().drop_front(2), output.getShape().drop_front(2), pool.getKernel(),
             pool.getStrides(), pool.getDilations(), pool.getPads());
  return p;
}

/// A matched kernel, or the reason why the kernel does not match.
struct ConvMatch {
  std::optional<ConvKernel> kernel;
  std::string reason;
  mlir::Operation *op = nullptr; // the convolution or product, if the kernel has a single one
};

/// Returns the reason why a template refuses a convolution or product without constant weights.
std::string whyNotConstant(mlir::Operation *op);

/// Matches a kernel of one convolution or product, on f32 or on 8-bit integers, and element-wise
/// ops. Weights of f32 may be stored in f16 or bf16.
ConvMatch matchLayer(mlir::Block &body);

/// Matches a kernel of integer_conv or integer_matmul on 8-bit integers.
std::optional<ConvKernel> matchIntegerKernel(mlir::Block &body);

/// Matches the same kernel followed by a max pool; the kernel may have no other ops with loops.
std::optional<ConvKernel> matchPooledIntegers(mlir::Block &body);

/// Returns whether all ops read one entry per channel from the argument: a bias, or scales along
/// dimension 1.
bool isChannelVector(mlir::BlockArgument argument);

/// Returns the layout of each argument of a matched kernel with lanes along output channels in
/// blocks of `block`. Returns nullopt if an epilogue operand has no such layout. The entries of
/// input and weight are null, because the template chooses them.
std::optional<llvm::SmallVector<mlir::Attribute>> epilogueLayouts(const ConvKernel &kernel,
                                                                  mlir::Block &body, int64_t block);

/// Returns the block arguments that the epilogue reads element by element; they have the type of
/// the result.
llvm::SmallVector<unsigned> addedOperands(const ConvKernel &kernel, mlir::Block &body);

/// Returns whether no epilogue operand distinguishes rows from columns. All pixels can then be
/// processed as one row.
bool isEpilogueFlat(const ConvKernel &kernel, mlir::Block &body);

} // namespace convoy::kernels
