// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares checks that the type rules of several op families share.

#pragma once

#include "Graph/TypeInference.h"

namespace convoy::graph {

/// Returns whether two dimensions may be equal once both are known.
inline bool mayEqual(int64_t a, int64_t b) { return a == b || a == kDynamic || b == kDynamic; }

/// Returns the shape of a value, or `rank` unknown dimensions if its rank is
/// unknown.
Shape shapeOrUnknown(TypeInference &inference, mlir::Value value, int64_t rank);

/// Fails with an error that names `operand` unless the rank is `rank` or
/// unknown.
mlir::LogicalResult expectRank(TypeInference &inference, mlir::Value value, int64_t rank,
                               llvm::StringRef operand);

/// Fails unless the elements have a floating-point type.
mlir::LogicalResult expectFloats(TypeInference &inference, mlir::Value value,
                                 llvm::StringRef operand);

/// Fails unless the elements have a floating-point or integer type.
mlir::LogicalResult expectNumbers(TypeInference &inference, mlir::Value value,
                                  llvm::StringRef operand);

/// Fails unless `value`, which may be absent, has the element type of `like`.
mlir::LogicalResult expectElementsLike(TypeInference &inference, mlir::Value value,
                                       mlir::Value like, llvm::StringRef operand);

/// Fails unless `value`, which may be absent, is a vector of `size` elements.
/// Accepts unknown shapes and sizes.
mlir::LogicalResult expectVector(TypeInference &inference, mlir::Value value, int64_t size,
                                 llvm::StringRef operand);

} // namespace convoy::graph
