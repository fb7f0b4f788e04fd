// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of the conv_bytes template.

#pragma once

#include "Kernels/Convolution/ConvProblem.h"
#include "Kernels/Kernel.h"
#include "Kernels/Machine.h"
#include "Kernels/Space.h"
#include "Task/Task.h"

namespace convoy::kernels {

/// The version of the generated code.
constexpr int kConvBytesVersion = 1;

/// A convolution or product on bytes with its requantize op, and the max pool or the sum after it.
struct BytesConv {
  ConvKernel conv;
  // mutable, because the accessors of ops are not const
  mutable graph::RequantizeOp requantize;
  mutable graph::MaxPoolOp pool;   // null if there is none
  mutable graph::IntegerAddOp sum; // null if there is none

  /// Returns the bytes of the input that one result pixel reads.
  int64_t depth() const { return conv.problem.inputChannels * conv.problem.taps(); }
  /// Returns the pixels of a window of the pool, or 0.
  int64_t windowPixels() const;
  /// Returns the operand that is added to the result, or null.
  mlir::BlockArgument added() const;
  /// Returns whether the sums can read the input without a copy of the taps.
  bool isDirect() const;
};

/// Matches the body of a kernel. Sets `reason` if the kernel does not match.
std::optional<BytesConv> matchBytesConv(mlir::Block &body, std::string &reason);

/// Returns the reason why a configuration does not fit a kernel, or an empty string.
std::string whyNotConvBytes(const BytesConv &kernel, ConvBytesAttr config);

/// Returns the layout of the weights.
ByteGroupsAttr convBytesWeights(const BytesConv &kernel, mlir::MLIRContext *context);

Choice chooseConvBytes(const BytesConv &kernel, mlir::MLIRContext *context);

mlir::LogicalResult lowerConvBytes(task::KernelOp kernel, const BytesConv &matched,
                                   ConvBytesAttr config);

} // namespace convoy::kernels
