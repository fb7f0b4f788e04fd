// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops and branches for emitters of templates. A body is a function of the index. Values that a
// loop carries are vectors of values, so a body may change them in place.

#pragma once

#include "Kernels/Core/IndexMath.h"

namespace convoy::kernels {

class LoopNest : public IndexMath {
public:
  using Values = llvm::SmallVector<mlir::Value>;
  using IndexMath::IndexMath;

  /// Emit: for i in [low, high): body(i).
  void loop(mlir::Value low, mlir::Value high, llvm::function_ref<void(mlir::Value)> body);
  void loop(mlir::Value low, mlir::Value high, int64_t step,
            llvm::function_ref<void(mlir::Value)> body);
  /// A loop of one step is only its body.
  void loop(int64_t count, llvm::function_ref<void(mlir::Value)> body);
  /// Emit: for i in [low, high): carried = body(i, carried). Return the last values.
  Values loop(mlir::Value low, mlir::Value high, Values carried,
              llvm::function_ref<Values(mlir::Value, Values)> body);
  Values loop(int64_t count, Values carried, llvm::function_ref<Values(mlir::Value, Values)> body);

  /// Emits body(first, count, carried) for parts of `unroll` of `count` steps, in a loop, and for
  /// the rest.
  Values unrolled(int64_t count, int64_t unroll, Values carried,
                  llvm::function_ref<Values(mlir::Value, int64_t, Values)> body);

  /// Emits: if (condition) then() else otherwise(). `otherwise` may be null.
  void branch(mlir::Value condition, llvm::function_ref<void()> then,
              llvm::function_ref<void()> otherwise = nullptr);
  /// Does the same for functions that return values of one type.
  Values branch(mlir::Value condition, llvm::function_ref<Values()> then,
                llvm::function_ref<Values()> otherwise, mlir::TypeRange types);

  mlir::Value isEqual(mlir::Value lhs, int64_t rhs) {
    return b.createOrFold<mlir::arith::CmpIOp>(mlir::arith::CmpIPredicate::eq, lhs, index(rhs));
  }
};

} // namespace convoy::kernels
