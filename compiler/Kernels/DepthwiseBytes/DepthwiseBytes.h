// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of the depthwise_bytes template.

#pragma once

#include "Kernels/Convolution/ConvProblem.h"
#include "Kernels/Kernel.h"

namespace convoy::task {
class KernelOp;
} // namespace convoy::task

namespace convoy::kernels {

/// The version of the generated code.
constexpr int kDepthwiseBytesVersion = 1;

/// A depthwise convolution on bytes with its requantize op.
struct BytesDepthwise {
  ConvKernel conv;
  graph::RequantizeOp requantize;
};

/// Channels per group of weights and tables: the bytes of an MVE register.
constexpr int64_t kDepthwiseGroup = 16;

/// Returns the place of a channel in a group of a table; see LaneQuartersAttr.
constexpr int64_t laneQuarter(int64_t channel) {
  return channel / 4 + channel % 2 * 8 + channel / 2 % 2 * 4;
}

/// Matches the body of a kernel: a depthwise convolution and its requantize op. Sets `reason` if
/// the kernel does not match.
std::optional<BytesDepthwise>
matchDepthwiseBytes(mlir::Block &body, const std::optional<ConvKernel> &conv, std::string &reason);

mlir::LogicalResult lowerDepthwiseBytes(task::KernelOp kernel, const BytesDepthwise &matched);

} // namespace convoy::kernels
