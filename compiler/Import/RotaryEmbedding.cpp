// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports RotaryEmbedding of ONNX and of the domain com.microsoft as slices and element-wise ops.
// The two differ in the order of their inputs and in the forms of positions that they accept.

#include "Import/RotaryEmbedding.h"
#include "Import/AttentionForm.h"
#include "Import/OpTable.h"

using namespace mlir;

namespace convoy::import {

LogicalResult checkRotated(NodeContext &n, int64_t rotated, int64_t headSize) {
  if (rotated <= 0 || rotated % 2 != 0 || rotated > headSize) {
    return n.error() << "expects 'rotary_embedding_dim' to be even and at most the head size "
                     << headSize << ", got " << rotated;
  }
  return success();
}

/// Rotates whole heads. The two elements of a pair are adjacent (interleaved) or half a head apart.
/// The reshape therefore inserts a dimension of size 2 after or before the dimension of pairs.
static Value rotatePairs(NodeContext &n, Value x, const RotaryForm &form) {
  int64_t half = form.rotated / 2;
  int64_t pairAxis = form.isInterleaved ? 4 : 3;
  Value cos = unsqueeze(n, form.cos, {form.headAxis, pairAxis});
  Value sin = unsqueeze(n, form.sin, {form.headAxis, pairAxis});
  Value pairs = form.isInterleaved ? reshapeKeeping(n, x, {0, 0, 0, half, 2})
                                   : reshapeKeeping(n, x, {0, 0, 0, 2, half});
  Value first = n.slice(pairs, pairAxis, 0, 1);
  Value second = n.slice(pairs, pairAxis, 1, 2);
  Value real = n.sub(n.mul(cos, first), n.mul(sin, second));
  Value imaginary = n.add(n.mul(sin, first), n.mul(cos, second));
  return reshapeKeeping(n, n.concat({real, imaginary}, pairAxis), {0, 0, 0, form.rotated});
}

Value rotateHeads(NodeContext &n, Value x, const RotaryForm &form) {
  int64_t headSize = cast<RankedTensorType>(x.getType()).getShape().back();
  if (form.rotated == headSize) {
    return rotatePairs(n, x, form);
  }
  Value turned = rotatePairs(n, n.slice(x, 3, 0, form.rotated), form);
  return n.concat({turned, n.slice(x, 3, form.rotated, headSize)}, 3);
}

namespace {

/// The inputs of a node that differ between the domains.
struct RotaryNode {
  Value positions; // null: the caches have one row per batch entry and position
  unsigned cosInput = 1;
  unsigned sinInput = 2;
  int64_t heads = 0; // of an input of rank 3
};

/// Returns the cache entries of each position, B x S x rotated / 2.
FailureOr<Value> cacheOf(NodeContext &n, const RotaryNode &node, unsigned input, StringRef name,
                         int64_t half) {
  if (failed(n.require(input, name))) {
    return failure();
  }
  Value cache = n.input(input);
  if (node.positions) {
    cache = n.emit<graph::GatherOp>(cache, node.positions, int64_t(0));
  }
  FailureOr<Shape> shape = n.shape(cache);
  if (failed(shape)) {
    return failure();
  }
  if (shape->size() != 3) {
    return FailureOr<Value>(n.error() << "expects " << name << " of rank "
                                      << (node.positions ? "2 and position_ids of rank 2" : "3")
                                      << ", got " << n.input(input).getType());
  }
  return n.slice(cache, 2, 0, half);
}

/// Returns x as B x H x S x D, or as B x S x H x D if x has rank 3.
FailureOr<Value> splitRotaryInput(NodeContext &n, ArrayRef<int64_t> shape, int64_t heads) {
  if (shape.size() == 4) {
    return n.input(0);
  }
  if (shape.size() != 3) {
    return FailureOr<Value>(n.error() << "expects X of rank 3 or 4, got rank " << shape.size());
  }
  int64_t hidden = shape[2];
  if (heads <= 0 || hidden == graph::kDynamic || hidden % heads != 0) {
    return FailureOr<Value>(n.error() << "expects attribute 'num_heads' to be a positive divisor "
                                         "of the static last dimension of a rank-3 input, got "
                                      << heads << " for " << n.input(0).getType());
  }
  return reshapeKeeping(n, n.input(0), {0, 0, heads, hidden / heads});
}

LogicalResult importRotary(NodeContext &n, ArrayRef<int64_t> shape, const RotaryNode &node) {
  FailureOr<Value> x = splitRotaryInput(n, shape, node.heads);
  if (failed(x) || n.hasFailed) {
    return failure(); // The callee emitted the error.
  }
  int64_t headSize = cast<RankedTensorType>(x->getType()).getShape().back();
  RotaryForm form;
  form.rotated = n.intAttr("rotary_embedding_dim", 0);
  form.rotated = form.rotated == 0 ? headSize : form.rotated;
  if (headSize == graph::kDynamic) {
    return n.unsupported() << "with a dynamic head size; make the last dimension of X static";
  }
  if (failed(checkRotated(n, form.rotated, headSize))) {
    return failure();
  }
  FailureOr<Value> cos = cacheOf(n, node, node.cosInput, "cos_cache", form.rotated / 2);
  FailureOr<Value> sin = cacheOf(n, node, node.sinInput, "sin_cache", form.rotated / 2);
  if (failed(cos) || failed(sin)) {
    return failure();
  }
  form.headAxis = shape.size() == 4 ? 1 : 2;
  form.isInterleaved = n.intAttr("interleaved", 0) != 0;
  form.cos = *cos;
  form.sin = *sin;
  Value y = rotateHeads(n, *x, form);
  return n.yield(shape.size() == 4 ? y : reshapeKeeping(n, y, {0, 0, -1}));
}

LogicalResult importRotaryEmbedding(NodeContext &n) {
  if (failed(n.require(0, "X"))) {
    return failure();
  }
  FailureOr<Shape> shape = n.shape(n.input(0));
  if (failed(shape)) {
    return failure();
  }
  RotaryNode node;
  node.positions = n.input(3);
  node.heads = n.intAttr("num_heads", 0);
  return importRotary(n, *shape, node);
}

/// Returns the number of heads of an input of rank 3. Without 'num_heads', the caches have half the
/// head size.
FailureOr<int64_t> headsFromCache(NodeContext &n, ArrayRef<int64_t> shape) {
  int64_t heads = n.intAttr("num_heads", 0);
  if (heads != 0 || shape.size() != 3) {
    return heads;
  }
  FailureOr<Shape> cache = n.shape(n.input(2));
  if (failed(cache)) {
    return failure();
  }
  int64_t half = cache->size() == 2 ? (*cache)[1] : 0;
  if (n.intAttr("rotary_embedding_dim", 0) != 0 || half <= 0 || shape[2] % (2 * half) != 0) {
    return FailureOr<int64_t>(n.error()
                              << "requires attribute 'num_heads' for input " << n.input(0).getType()
                              << " and cos_cache " << n.input(2).getType());
  }
  return shape[2] / (2 * half);
}

/// Imports the form of com.microsoft. A vector of positions has one element, the position of the
/// first row of each batch entry.
LogicalResult importMicrosoftRotary(NodeContext &n) {
  if (failed(n.requireAll({"input", "position_ids", "cos_cache", "sin_cache"}))) {
    return failure();
  }
  FailureOr<Shape> shape = n.shape(n.input(0));
  FailureOr<Shape> positions = n.shape(n.input(1));
  if (failed(shape) || failed(positions)) {
    return failure();
  }
  if (shape->size() != 3 && shape->size() != 4) {
    return n.error() << "expects an input of rank 3 or 4, got " << n.input(0).getType();
  }
  bool isOffset = positions->size() == 1;
  if (positions->size() > 2 || positions->empty() ||
      (isOffset && positions->front() != 1 && positions->front() != graph::kDynamic)) {
    return n.error() << "expects position_ids of shape [1] or [batch, sequence], got "
                     << n.input(1).getType();
  }
  if (n.intAttr("is_packed_batching", 0) != 0 || n.floatAttr("scale", 1) != 1) {
    return n.unsupported() << "with 'is_packed_batching' or a 'scale' other than 1; export the "
                              "model without them";
  }
  FailureOr<int64_t> heads = headsFromCache(n, *shape);
  if (failed(heads)) {
    return failure();
  }
  RotaryNode node;
  node.cosInput = 2;
  node.sinInput = 3;
  node.heads = *heads;
  node.positions = n.input(1);
  if (isOffset) {
    int64_t sequenceAxis = shape->size() == 4 ? 2 : 1;
    Value rows = n.add(indicesOf(n, n.input(0), sequenceAxis), n.input(1));
    node.positions = n.reshape(rows, {1, -1});
  }
  return importRotary(n, *shape, node);
}

constexpr OpRow kRows[] = {
    {"RotaryEmbedding", importRotaryEmbedding, "requires a static head size"},
    {"RotaryEmbedding", importMicrosoftRotary,
     "requires a static head size; no 'is_packed_batching' and no 'scale'", kMicrosoft},
};

} // namespace

llvm::ArrayRef<OpRow> rotaryRows() { return kRows; }

} // namespace convoy::import
