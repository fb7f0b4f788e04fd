// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits attention as matrix products, softmax and element-wise ops. The attention template of
// Kernels matches these ops. The import rows read the operands and compute the masks.

#include "Import/AttentionForm.h"

using namespace mlir;
using convoy::graph::UnaryKind;

namespace convoy::import {

Value reshapeKeeping(NodeContext &n, Value x, ArrayRef<int64_t> shape) {
  return n.emit<graph::ReshapeOp>(x, n.ints(shape), /*allowZero=*/false);
}

Value dimension(NodeContext &n, Value x, int64_t axis) {
  auto type = dyn_cast<RankedTensorType>(x.getType());
  if (type && axis < type.getRank() && !type.isDynamicDim(axis)) {
    return n.intScalar(type.getDimSize(axis));
  }
  Value size = n.emit<graph::ShapeOp>(x, axis, n.builder.getI64IntegerAttr(axis + 1));
  return n.reshape(size, {});
}

Value indicesOf(NodeContext &n, Value x, int64_t axis) {
  return n.emit<graph::RangeOp>(n.intScalar(0), dimension(n, x, axis), n.intScalar(1));
}

Value unsqueeze(NodeContext &n, Value x, ArrayRef<int64_t> axes) {
  FailureOr<Shape> shape = n.shape(x);
  SmallVector<Value> sizes;
  int64_t from = 0;
  int64_t rank = failed(shape) ? 0 : static_cast<int64_t>(shape->size() + axes.size());
  for (int64_t i = 0; i < rank; ++i) {
    bool isNew = llvm::is_contained(axes, i);
    Value size = isNew ? n.intScalar(1) : dimension(n, x, from++);
    sizes.push_back(n.reshape(size, {1}));
  }
  // Type inference folds the known sizes.
  return n.emit<graph::ReshapeOp>(x, n.concat(sizes, 0), /*allowZero=*/true);
}

FailureOr<Value> splitHeads(NodeContext &n, Value x, int64_t heads, StringRef attribute) {
  FailureOr<Shape> shape = n.shape(x);
  if (failed(shape)) {
    return failure();
  }
  int64_t hidden = shape->back();
  bool isKnown = hidden != graph::kDynamic;
  if (heads <= 0 || (isKnown && hidden % heads != 0)) {
    InFlightDiagnostic diag =
        n.error() << "expects attribute '" << attribute
                  << "' to be a positive divisor of the last dimension of a rank-3 input";
    if (isKnown) {
      diag << " (" << hidden << ")";
    }
    return FailureOr<Value>(diag << ", got " << heads);
  }
  Value split = reshapeKeeping(n, x, {0, 0, heads, isKnown ? hidden / heads : -1});
  return n.transpose(split, {0, 2, 1, 3});
}

Value joinHeads(NodeContext &n, Value x) {
  return reshapeKeeping(n, n.transpose(x, {0, 2, 1, 3}), {0, 0, -1});
}

Value softcap(NodeContext &n, Value x, double limit) {
  if (!(limit > 0)) {
    return x;
  }
  Value bound = n.scalarLike(x, limit);
  return n.mul(n.unary(UnaryKind::Tanh, n.div(x, bound)), bound);
}

Value appendTo(NodeContext &n, Value past, Value now) {
  return past ? n.concat({past, now}, 2) : now;
}

Value AttentionForm::group(NodeContext &n, Value x) const {
  return isGrouped() ? reshapeKeeping(n, x, {0, keyHeads, -1, 0}) : x;
}

Value AttentionForm::ungroup(NodeContext &n, Value x) const {
  return isGrouped() ? reshapeKeeping(n, x, {0, queryHeads, -1, 0}) : x;
}

/// Returns the softmax of the scores. A sink is one more score, whose weight is dropped.
static Value softmaxOf(NodeContext &n, const AttentionForm &form, Value scores) {
  if (!form.sink) {
    return n.emit<graph::SoftmaxOp>(scores, int64_t(3));
  }
  Value first = n.slice(scores, 3, 0, 1);
  Value shape = n.emit<graph::ShapeOp>(first, int64_t(0), IntegerAttr());
  Value column = n.emit<graph::ExpandOp>(form.sink, shape);
  Value weights = n.emit<graph::SoftmaxOp>(n.concat({column, scores}, 3), int64_t(3));
  return n.slice(weights, 3, 1, INT64_MAX);
}

AttentionStages emitAttention(NodeContext &n, const AttentionForm &form,
                              llvm::function_ref<Value(Value)> mask) {
  ElementType type = n.element(form.query);
  AttentionStages s;
  Value scaled = n.mul(form.query, n.scalarLike(form.query, form.scale));
  Value queries = form.group(n, scaled);
  Value keys = n.transpose(form.key, {0, 1, 3, 2});
  s.product = form.ungroup(n, n.matmul(queries, keys));
  s.capped = softcap(n, s.product, form.cap);
  s.masked = mask(s.capped);
  s.weights = n.cast(softmaxOf(n, form, n.cast(s.masked, form.precision)), type);
  s.result = form.ungroup(n, n.matmul(form.group(n, s.weights), n.cast(form.value, type)));
  return s;
}

} // namespace convoy::import
