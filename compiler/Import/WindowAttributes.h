// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The window attributes that convolutions and pools share, with defaults filled
// in and auto_pad resolved.

#pragma once

#include "Import/NodeContext.h"

namespace convoy::import {

struct WindowAttributes {
  Shape kernel; // kDynamic where only an unknown weight shape tells
  Shape strides;
  Shape pads; // all begins, then all ends
  Shape dilations;
};

/// What the type rules take as a kernel size, stride or dilation. Arithmetic on
/// such numbers and a dimension stays within int64.
constexpr int64_t kMaxWindowSize = int64_t(1) << 31;
inline bool isWindowSize(int64_t value) { return value >= 1 && value <= kMaxWindowSize; }

/// What auto_pad asks for.
enum class AutoPad { NotSet, SameUpper, SameLower, Valid };

/// Reads auto_pad; an unknown name is an error.
mlir::FailureOr<AutoPad> readAutoPad(NodeContext &n);

/// Reads strides, pads and dilations for a given kernel; auto_pad is left alone.
/// Fails when an attribute has another length than the kernel.
mlir::FailureOr<WindowAttributes> readExplicitWindow(NodeContext &n,
                                                     llvm::ArrayRef<int64_t> kernel);

/// The window of a pool: kernel_shape is required.
mlir::FailureOr<WindowAttributes> readPoolWindow(NodeContext &n, mlir::Value input);

/// The kernel sizes of a convolution: the weights' spatial dimensions, or
/// kernel_shape where those are unknown. Fails when they disagree.
mlir::FailureOr<Shape> readConvKernel(NodeContext &n, mlir::Value input, mlir::Value weight);

/// The window of a convolution of `input` with `weight`.
mlir::FailureOr<WindowAttributes> readConvWindow(NodeContext &n, mlir::Value input,
                                                 mlir::Value weight);

} // namespace convoy::import
