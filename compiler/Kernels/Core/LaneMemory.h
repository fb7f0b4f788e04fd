// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads and stores of vectors of any width, and the widths that cover a row.

#pragma once

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace convoy::kernels {

/// Returns the widest power-of-two vector width that `count` elements fill.
int64_t widthFor(int64_t count, int64_t most);
/// Returns the smallest power of two that is at least `count`.
int64_t powerFrom(int64_t count);

/// Calls body(first, width) for vectors that cover `count` elements. The last vector overlaps the
/// previous one, which avoids a masked tail.
void forVectors(int64_t count, int64_t most, llvm::function_ref<void(int64_t, int64_t)> body);

/// Load and store f32. A vector of one lane is a scalar.
mlir::Value loadLanes(mlir::ImplicitLocOpBuilder &b, mlir::Value memory, mlir::Value offset,
                      int64_t width);
void storeLanes(mlir::ImplicitLocOpBuilder &b, mlir::Value value, mlir::Value memory,
                mlir::Value offset);

/// Load and store a vector of i32 in memory of bytes.
mlir::Value loadInts(mlir::ImplicitLocOpBuilder &b, mlir::Value memory, mlir::Value offset,
                     int64_t lanes);
void storeInts(mlir::ImplicitLocOpBuilder &b, mlir::Value lanes, mlir::Value memory,
               mlir::Value offset);

/// Load and store an integer in memory of bytes.
mlir::Value loadScalar(mlir::ImplicitLocOpBuilder &b, mlir::Value memory, mlir::Value offset,
                       mlir::IntegerType type);
void storeScalar(mlir::ImplicitLocOpBuilder &b, mlir::Value value, mlir::Value memory,
                 mlir::Value offset);

/// Joins a power of two of equal vectors to one vector, in pairs.
mlir::Value joinLanes(mlir::ImplicitLocOpBuilder &b, llvm::ArrayRef<mlir::Value> parts);

/// Combines the lanes of a vector by halves and returns a scalar. The number of lanes is a power of
/// two.
mlir::Value foldLanes(mlir::ImplicitLocOpBuilder &b, mlir::Value lanes,
                      llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> combine);

} // namespace convoy::kernels
