// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits normalizations as reductions and element-wise ops, and applies functions along an axis.

#include "Import/NormalizationForm.h"

using namespace mlir;
using convoy::graph::ReduceKind;
using convoy::graph::UnaryKind;

namespace convoy::import {

ElementType statisticsType(ElementType type) {
  return type == ElementType::F16 || type == ElementType::BF16 ? ElementType::F32 : type;
}

SmallVector<int64_t> axesFrom(int64_t first, int64_t rank) {
  return llvm::to_vector(llvm::seq<int64_t>(first, std::max(first, rank)));
}

Statistics statisticsOf(NodeContext &n, Value x, ArrayRef<int64_t> axes, double epsilon) {
  Value mean = n.reduce(ReduceKind::Mean, x, axes, /*keepDims=*/true);
  Value centered = n.sub(x, mean);
  Value variance = n.reduce(ReduceKind::Mean, n.mul(centered, centered), axes, /*keepDims=*/true);
  Value deviation = n.unary(UnaryKind::Sqrt, n.add(variance, n.scalarLike(variance, epsilon)));
  return {mean, centered, n.unary(UnaryKind::Reciprocal, deviation)};
}

SmallVector<Value> normalizeLayer(NodeContext &n, Value x, Value scale, Value bias,
                                  const TrailingNorm &norm) {
  Statistics s = statisticsOf(n, n.cast(x, norm.stash), norm.axes, norm.epsilon);
  // The result has the element type of the scale, which may differ from the input's type.
  Value y = n.mul(n.cast(n.mul(s.centered, s.inverseDeviation), n.element(scale)), scale);
  return {bias ? n.add(y, bias) : y, s.mean, s.inverseDeviation};
}

SmallVector<Value> normalizeRms(NodeContext &n, Value x, Value scale, const TrailingNorm &norm,
                                bool hasInverse) {
  Value wide = n.cast(x, norm.stash);
  Value meanSquare = n.reduce(ReduceKind::Mean, n.mul(wide, wide), norm.axes, /*keepDims=*/true);
  Value root = n.unary(UnaryKind::Sqrt, n.add(meanSquare, n.scalarLike(wide, norm.epsilon)));
  // The result has the element type of the scale, as in normalizeLayer.
  SmallVector<Value> results = {n.mul(n.cast(n.div(wide, root), n.element(scale)), scale)};
  if (hasInverse) {
    results.push_back(n.unary(UnaryKind::Reciprocal, root));
  }
  return results;
}

Value reshapeLike(NodeContext &n, Value x, Value like) {
  auto type = dyn_cast<RankedTensorType>(like.getType());
  if (type && type.hasStaticShape()) {
    return n.reshape(x, type.getShape());
  }
  Value shape = n.emit<graph::ShapeOp>(like, int64_t(0), IntegerAttr());
  return n.emit<graph::ReshapeOp>(x, shape, /*allowZero=*/true);
}

/// Reshapes `x` to a matrix: the dimensions before `axis` form the rows, the
/// dimensions from `axis` on form the columns.
static Value flattenAt(NodeContext &n, Value x, int64_t axis) {
  auto type = cast<RankedTensorType>(x.getType());
  std::optional<int64_t> rows = elementCount(type.getShape().take_front(axis));
  std::optional<int64_t> columns = elementCount(type.getShape().drop_front(axis));
  if (rows && columns) {
    return n.reshape(x, {*rows, *columns});
  }
  Value leading = n.emit<graph::ShapeOp>(x, int64_t(0), n.builder.getI64IntegerAttr(axis));
  Value count = n.reduce(ReduceKind::Prod, leading, {0}, /*keepDims=*/true);
  return n.emit<graph::ReshapeOp>(x, n.concat({count, n.ints({-1})}, 0), /*allowZero=*/true);
}

FailureOr<Value> alongAxis(NodeContext &n, Value x, int64_t axis, bool flattens,
                           llvm::function_ref<Value(Value, int64_t)> body) {
  FailureOr<int64_t> rank = n.rank(x);
  if (failed(rank)) {
    return failure();
  }
  FailureOr<int64_t> at = n.axis(axis, *rank);
  if (failed(at)) {
    return failure();
  }
  if (!flattens || *at == *rank - 1) {
    return body(x, *at);
  }
  return reshapeLike(n, body(flattenAt(n, x, *at), 1), x);
}

} // namespace convoy::import
