// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dimensions and axes that Import may not know: a number where it does, else an
// op that computes it at run time. Rows that build a target shape use one form
// for both.

#pragma once

#include "Import/NodeContext.h"
#include <variant>

namespace convoy::import {

/// A dimension: a number, or a value of type tensor<1xi64>.
using OpenDim = std::variant<int64_t, mlir::Value>;

/// Dimension `axis` of a tensor of known rank.
OpenDim dimOf(NodeContext &n, mlir::Value x, int64_t axis);
/// All dimensions of a tensor of known rank.
llvm::SmallVector<OpenDim> dimsOf(NodeContext &n, mlir::Value x);

OpenDim multiply(NodeContext &n, OpenDim a, OpenDim b);
/// The quotient, which is exact: a number that does not divide is an error.
OpenDim divide(NodeContext &n, OpenDim a, int64_t b);

/// The dimensions as one i64 vector.
mlir::Value shapeVector(NodeContext &n, llvm::ArrayRef<OpenDim> dims);

/// Reshapes to the dimensions; a 0 is a size of 0.
mlir::Value reshapeTo(NodeContext &n, mlir::Value x, llvm::ArrayRef<OpenDim> dims);

/// An axis attribute, normalised by the rank of x plus `extra`. Without a rank
/// only an axis that is not negative will do.
mlir::FailureOr<int64_t> axisOf(NodeContext &n, int64_t axis, mlir::Value x, int64_t extra = 0);

/// The integers of an operand, when known. An operand of anything else is an
/// error that calls it `name`.
mlir::FailureOr<std::optional<Shape>> knownIntegers(NodeContext &n, mlir::Value operand,
                                                    llvm::StringRef name);

} // namespace convoy::import
