// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Building code for W neighbouring elements at once. A value in registers is a
// scalar (W = 1) or a vector of W; an index is the same for all lanes, grows by
// a constant from lane to lane, or differs freely:
//
//     lanes of a row, W = 4      x[8] x[9] x[10] x[11]   base 8, step 1
//     every other column         x[8] x[10] x[12] x[14]  base 8, step 2
//     a broadcast operand        s s s s                 base s, step 0
//     a gather                   x[i0] x[i1] x[i2] x[i3] varying
//
// Loads look at the step: 0 is a scalar load, 1 a vector load, the rest a
// gather. So one description of an op serves scalars and vectors.

#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace convoy::kernels {

struct Index {
  mlir::Value base;    // index; null when the lanes differ freely
  int64_t step = 0;    // what each lane adds to the one before
  mlir::Value varying; // vector<W x index>

  bool isUniform() const { return base && step == 0; }
};

class Lanes {
public:
  Lanes(mlir::ImplicitLocOpBuilder &builder, int64_t width) : b(builder), width(width) {}

  // Indices.
  Index constant(int64_t value);
  Index uniform(mlir::Value index) { return {index, 0, {}}; }
  Index add(const Index &x, const Index &y);
  Index add(const Index &x, int64_t c);
  Index mul(const Index &x, int64_t c);
  Index sub(const Index &x, const Index &y);
  /// Division of non-negative indices.
  Index div(const Index &x, int64_t c);
  Index rem(const Index &x, int64_t c);
  Index min(const Index &x, int64_t c);
  Index max(const Index &x, int64_t c);
  /// An index from an integer value in registers (scalar or vector).
  Index fromValue(mlir::Value value, bool isSigned = true);
  /// Row-major offset of coordinates.
  Index linearize(llvm::ArrayRef<Index> indices, llvm::ArrayRef<int64_t> shape);
  llvm::SmallVector<Index> delinearize(const Index &linear, llvm::ArrayRef<int64_t> shape);
  /// The index as an integer in registers, one per lane.
  mlir::Value toValue(const Index &x, mlir::Type integer);
  /// vector<W x index>, or the index itself when W is 1.
  mlir::Value toLanes(const Index &x);

  /// Conditions: i1 or vector<W x i1>. `0 <= x < bound` and `x == c`.
  mlir::Value inBounds(const Index &x, int64_t bound);
  mlir::Value isEqual(const Index &x, int64_t c);
  /// Both; either may be null, which is true.
  mlir::Value both(mlir::Value x, mlir::Value y);

  // Values.
  mlir::Type type(mlir::Type scalar) const;
  /// Makes a scalar one value per lane; vectors stay.
  mlir::Value splat(mlir::Value value);
  /// Constants are scalars; they are spread where they meet vectors.
  mlir::Value constantOf(mlir::Type scalar, double value);
  mlir::Value intOf(mlir::Type scalar, int64_t value);
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b);
  /// A value the same for all lanes may stay scalar; these mix the two forms.
  template <typename OpT>
  mlir::Value op(mlir::Value x, mlir::Value y) {
    unify(x, y);
    return b.createOrFold<OpT>(x, y);
  }
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value x, mlir::Value y);
  mlir::Value compare(mlir::arith::CmpFPredicate predicate, mlir::Value x, mlir::Value y);
  mlir::Value fma(mlir::Value x, mlir::Value y, mlir::Value z);
  /// The type with the lanes of `like` and another scalar type.
  mlir::Type typeLike(mlir::Value like, mlir::Type scalar) const;
  void unify(mlir::Value &x, mlir::Value &y);

  mlir::ImplicitLocOpBuilder &b;
  const int64_t width;

private:
  mlir::Value indexConstant(int64_t value);
};

} // namespace convoy::kernels
