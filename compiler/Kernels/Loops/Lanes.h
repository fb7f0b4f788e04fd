// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code generation for W adjacent elements at once. A value in registers is a scalar (W = 1) or a
// vector of W elements. An index is uniform over the lanes, grows by a constant step per lane, or
// varies arbitrarily:
//
//     lanes of a row, W = 4      x[8] x[9] x[10] x[11]   base 8, step 1
//     every other column         x[8] x[10] x[12] x[14]  base 8, step 2
//     a broadcast operand        s s s s                 base s, step 0
//     a gather                   x[i0] x[i1] x[i2] x[i3] varying
//
// The step selects the load: 0 is a scalar load, 1 a vector load, any other index a gather. The
// same emitter therefore works for scalars and vectors.

#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace convoy::kernels {

struct Index {
  mlir::Value base;    // index; null if the lanes vary arbitrarily
  int64_t step = 0;    // difference between adjacent lanes
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
  /// Divides non-negative indices.
  Index div(const Index &x, int64_t c);
  Index rem(const Index &x, int64_t c);
  Index min(const Index &x, int64_t c);
  Index max(const Index &x, int64_t c);
  /// Returns an index from an integer value in registers (scalar or vector).
  Index fromValue(mlir::Value value, bool isSigned = true);
  /// Returns the row-major offset of coordinates.
  Index linearize(llvm::ArrayRef<Index> indices, llvm::ArrayRef<int64_t> shape);
  llvm::SmallVector<Index> delinearize(const Index &linear, llvm::ArrayRef<int64_t> shape);
  /// Returns the index as an integer in registers, one per lane.
  mlir::Value toValue(const Index &x, mlir::Type integer);
  /// Returns vector<W x index>, or the index itself if W is 1.
  mlir::Value toLanes(const Index &x);

  /// Return the conditions `0 <= x < bound` and `x == c` as i1 or vector<W x i1>.
  mlir::Value inBounds(const Index &x, int64_t bound);
  mlir::Value isEqual(const Index &x, int64_t c);
  /// Returns the conjunction of two conditions; a null condition is true.
  mlir::Value both(mlir::Value x, mlir::Value y);

  // Values.
  mlir::Type type(mlir::Type scalar) const;
  /// Broadcasts a scalar to all lanes; vectors do not change.
  mlir::Value splat(mlir::Value value);
  /// Return scalar constants, which are broadcast when they are combined with vectors.
  mlir::Value constantOf(mlir::Type scalar, double value);
  mlir::Value intOf(mlir::Type scalar, int64_t value);
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b);
  /// These functions accept scalars and vectors together; values that are the same in all lanes may
  /// stay scalar.
  template <typename OpT>
  mlir::Value op(mlir::Value x, mlir::Value y) {
    unify(x, y);
    return b.createOrFold<OpT>(x, y);
  }
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value x, mlir::Value y);
  mlir::Value compare(mlir::arith::CmpFPredicate predicate, mlir::Value x, mlir::Value y);
  mlir::Value fma(mlir::Value x, mlir::Value y, mlir::Value z);
  /// Returns the type with the lanes of `like` and another scalar type.
  mlir::Type typeLike(mlir::Value like, mlir::Type scalar) const;
  void unify(mlir::Value &x, mlir::Value &y);

  mlir::ImplicitLocOpBuilder &b;
  const int64_t width;

private:
  mlir::Value indexConstant(int64_t value);
};

} // namespace convoy::kernels
