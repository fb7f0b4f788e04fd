// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The window attributes that convolutions and pools share, with defaults filled
// in and auto_pad resolved.

#pragma once

#include "Import/NodeContext.h"

namespace convoy::import {

struct WindowAttributes {
  Shape kernel; // kDynamic if the shape of the weights is unknown
  Shape strides;
  Shape pads; // begin of each dimension, then end of each dimension
  Shape dilations;
};

/// The largest kernel size, stride or dilation that the type rules accept.
/// Products of these values with a dimension do not overflow int64.
constexpr int64_t kMaxWindowSize = int64_t(1) << 31;
inline bool isWindowSize(int64_t value) { return value >= 1 && value <= kMaxWindowSize; }

/// The modes of auto_pad.
enum class AutoPad { NotSet, SameUpper, SameLower, Valid };

/// Reads auto_pad. Emits an error if the name is unknown.
mlir::FailureOr<AutoPad> readAutoPad(NodeContext &n);

/// Reads strides, pads and dilations for a given kernel and ignores auto_pad.
/// Fails if the length of an attribute does not match the kernel.
mlir::FailureOr<WindowAttributes> readExplicitWindow(NodeContext &n,
                                                     llvm::ArrayRef<int64_t> kernel);

/// Reads the window of a pool, which requires kernel_shape.
mlir::FailureOr<WindowAttributes> readPoolWindow(NodeContext &n, mlir::Value input);

/// Returns the kernel sizes of a convolution: the spatial dimensions of the
/// weights, or kernel_shape if the shape of the weights is unknown. Fails if
/// the two differ.
mlir::FailureOr<Shape> readConvKernel(NodeContext &n, mlir::Value input, mlir::Value weight);

/// Reads the window of a convolution of `input` with `weight`.
mlir::FailureOr<WindowAttributes> readConvWindow(NodeContext &n, mlir::Value input,
                                                 mlir::Value weight);

/// Moves the last dimension, which holds the channels, to dimension 1, or back.
mlir::FailureOr<mlir::Value> moveChannels(NodeContext &n, mlir::Value x, bool toFront);

} // namespace convoy::import
