// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that the type rules of several op families share.

#pragma once

#include "Graph/TypeInference.h"

namespace convoy::graph {

/// Whether two dimensions may be equal once both are known.
inline bool mayEqual(int64_t a, int64_t b) { return a == b || a == kDynamic || b == kDynamic; }

/// The shape of a value, or `rank` unknown dimensions when its rank is unknown.
Shape shapeOrUnknown(TypeInference &inference, mlir::Value value, int64_t rank);

/// Fails, with an error that names `operand`, unless the rank is `rank` or unknown.
mlir::LogicalResult expectRank(TypeInference &inference, mlir::Value value, int64_t rank,
                               llvm::StringRef operand);

/// Fails unless the elements are floats.
mlir::LogicalResult expectFloats(TypeInference &inference, mlir::Value value,
                                 llvm::StringRef operand);

/// Fails unless the elements are floats or integers.
mlir::LogicalResult expectNumbers(TypeInference &inference, mlir::Value value,
                                  llvm::StringRef operand);

/// Fails unless `value`, which may be absent, has the element type of `like`.
mlir::LogicalResult expectElementsLike(TypeInference &inference, mlir::Value value,
                                       mlir::Value like, llvm::StringRef operand);

/// Fails unless `value`, which may be absent, is a vector of `size` elements (or
/// either is unknown).
mlir::LogicalResult expectVector(TypeInference &inference, mlir::Value value, int64_t size,
                                 llvm::StringRef operand);

} // namespace convoy::graph
