// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of the pool_bytes template.

#pragma once

#include "Kernels/Convolution/ConvProblem.h"
#include "Kernels/Kernel.h"
#include "Task/Task.h"

namespace convoy::kernels {

/// The version of the generated code.
constexpr int kPoolBytesVersion = 1;

/// A max pool, or a sum pool with its requantize op.
struct BytesPool {
  unsigned input = 0; // block argument number
  /// The windows, as a convolution with one group per channel.
  ConvProblem windows;
  int64_t inputZeroPoint = 0;
  graph::RequantizeOp requantize; // null for a max pool
  int64_t multiplier = 0, shift = 0;
};

/// Matches the body of a kernel. Sets `reason` if the kernel does not match.
std::optional<BytesPool> matchPoolBytes(mlir::Block &body, std::string &reason);

mlir::LogicalResult lowerPoolBytes(task::KernelOp kernel, const BytesPool &pool);

} // namespace convoy::kernels
