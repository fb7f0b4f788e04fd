// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dimensions and axes that may be unknown at import. A static dimension is an
// integer; a dynamic dimension is an op that computes it at run time. Import
// rows build target shapes from both with the same functions.

#pragma once

#include "Import/NodeContext.h"
#include <variant>

namespace convoy::import {

/// A dimension: an integer if it is static, or a value of type tensor<1xi64>.
using OpenDim = std::variant<int64_t, mlir::Value>;

/// Returns dimension `axis` of a tensor of known rank.
OpenDim dimOf(NodeContext &n, mlir::Value x, int64_t axis);
/// Returns all dimensions of a tensor of known rank.
llvm::SmallVector<OpenDim> dimsOf(NodeContext &n, mlir::Value x);

OpenDim multiply(NodeContext &n, OpenDim a, OpenDim b);
/// Returns the exact quotient. Emits an error if a static dimension is not a
/// multiple of `b`.
OpenDim divide(NodeContext &n, OpenDim a, int64_t b);

/// Returns the dimensions as one i64 vector.
mlir::Value shapeVector(NodeContext &n, llvm::ArrayRef<OpenDim> dims);

/// Reshapes to the dimensions; a 0 means size 0.
mlir::Value reshapeTo(NodeContext &n, mlir::Value x, llvm::ArrayRef<OpenDim> dims);

/// Returns an axis attribute, normalized with the rank of x plus `extra`. If
/// the rank is unknown, the axis must not be negative.
mlir::FailureOr<int64_t> axisOf(NodeContext &n, int64_t axis, mlir::Value x, int64_t extra = 0);

/// Returns the integers of an operand if they are known. Emits an error that
/// names the operand `name` if it does not have an integer type.
mlir::FailureOr<std::optional<Shape>> knownIntegers(NodeContext &n, mlir::Value operand,
                                                    llvm::StringRef name);

} // namespace convoy::import
