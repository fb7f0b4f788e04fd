// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits products of 8-bit matrices. The weights stay 8 bits if byte_matmul supports the operands.

#include "Import/IntegerProduct.h"

using namespace mlir;

namespace convoy::import {

Value scalarIfSingle(NodeContext &n, Value value) {
  auto type = value ? dyn_cast<RankedTensorType>(value.getType()) : RankedTensorType();
  bool isSingle = type && type.getRank() == 1 && type.getDimSize(0) == 1;
  return isSingle ? n.reshape(value, {}) : value;
}

Value centered(NodeContext &n, Value x, Value zeroPoint) {
  Value wide = n.cast(x, ElementType::I32);
  return zeroPoint ? n.sub(wide, n.cast(zeroPoint, ElementType::I32)) : wide;
}

Value perRow(NodeContext &n, Value value) {
  bool isVector = value && n.hasRank(value) && *n.rank(value) == 1;
  return isVector ? n.reshape(value, {-1, 1}) : value;
}

/// Returns the zero point in the form that byte_matmul expects ([byte_matmul.2]), or null if there
/// is none. `matrix` has rank `rank`; `place` is the dimension of a vector's entries, from the end.
static Value zeroPointOf(NodeContext &n, Value matrix, Value zeroPoint, int64_t rank,
                         int64_t place) {
  if (!zeroPoint) {
    return n.scalarLike(matrix, 0);
  }
  zeroPoint = scalarIfSingle(n, zeroPoint);
  int64_t own = n.hasRank(zeroPoint) ? *n.rank(zeroPoint) : -1;
  if (own == 0 || own == rank) {
    return zeroPoint;
  }
  Shape shape(rank, 1);
  shape[rank - place] = -1;
  return own == 1 ? n.reshape(zeroPoint, shape) : Value();
}

Value multiplyBytes(NodeContext &n, Value a, Value aZero, Value b, Value bZero) {
  auto isByteMatrix = [&](Value value) {
    ElementType type = n.element(value);
    return (type == ElementType::I8 || type == ElementType::U8) && n.hasRank(value) &&
           *n.rank(value) >= 2;
  };
  if (isByteMatrix(a) && isByteMatrix(b)) {
    Value left = zeroPointOf(n, a, aZero, *n.rank(a), /*place=*/2);
    Value right = zeroPointOf(n, b, bZero, *n.rank(b), /*place=*/1);
    if (left && right) {
      return n.emit<graph::ByteMatMulOp>(a, b, left, right);
    }
  }
  return n.matmul(centered(n, a, perRow(n, scalarIfSingle(n, aZero))),
                  centered(n, b, scalarIfSingle(n, bZero)));
}

DynamicBytes quantizeDynamically(NodeContext &n, Value x) {
  SmallVector<Value> parameters = n.emitAll<graph::DynamicScaleOp, 2>(x);
  Type u8 = toMlir(ElementType::U8, n.builder.getContext());
  Value quantized = n.emit<graph::QuantizeLinearOp>(x, parameters[0], parameters[1], u8, int64_t(0),
                                                    int64_t(0), /*saturate=*/true);
  return {quantized, parameters[0], parameters[1]};
}

} // namespace convoy::import
