// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Index arithmetic for templates that compute memory offsets. Operations on constants fold at
// compile time.

#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace convoy::kernels {

class IndexMath {
public:
  explicit IndexMath(mlir::ImplicitLocOpBuilder &builder) : b(builder) {}

  mlir::Value index(int64_t value) { return b.create<mlir::arith::ConstantIndexOp>(value); }
  mlir::Value add(mlir::Value lhs, mlir::Value rhs) {
    return b.createOrFold<mlir::arith::AddIOp>(lhs, rhs);
  }
  mlir::Value add(mlir::Value lhs, int64_t rhs) { return rhs == 0 ? lhs : add(lhs, index(rhs)); }
  mlir::Value sub(mlir::Value lhs, mlir::Value rhs) {
    return b.createOrFold<mlir::arith::SubIOp>(lhs, rhs);
  }
  mlir::Value mul(mlir::Value lhs, int64_t rhs) {
    return rhs == 1 ? lhs : b.createOrFold<mlir::arith::MulIOp>(lhs, index(rhs));
  }
  mlir::Value min(mlir::Value lhs, int64_t rhs) {
    return b.createOrFold<mlir::arith::MinSIOp>(lhs, index(rhs));
  }
  mlir::Value max(mlir::Value lhs, int64_t rhs) {
    return b.createOrFold<mlir::arith::MaxSIOp>(lhs, index(rhs));
  }
  /// Divide numbers that are not negative.
  mlir::Value divide(mlir::Value lhs, int64_t rhs) {
    return b.createOrFold<mlir::arith::DivUIOp>(lhs, index(rhs));
  }
  mlir::Value remainder(mlir::Value lhs, int64_t rhs) {
    return b.createOrFold<mlir::arith::RemUIOp>(lhs, index(rhs));
  }
  /// Returns lhs - rhs * factor.
  mlir::Value subProduct(int64_t lhs, mlir::Value rhs, int64_t factor) {
    return b.createOrFold<mlir::arith::SubIOp>(index(lhs), mul(rhs, factor));
  }
  mlir::Value ceilDiv(mlir::Value lhs, int64_t rhs) {
    return rhs == 1 ? lhs : b.createOrFold<mlir::arith::CeilDivSIOp>(lhs, index(rhs));
  }

  mlir::ImplicitLocOpBuilder &b;
};

} // namespace convoy::kernels
