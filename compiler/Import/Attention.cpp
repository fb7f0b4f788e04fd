// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports Attention and RotaryEmbedding as matrix products, softmax and
// element-wise ops. Attention keeps queries, keys and values as B x H x S x D
// (batch, heads, sequence, head size).
//
// Grouped queries need no copies of keys and values. The query heads that share
// one key head are adjacent, so the shape
//
//     B x (G * R) x S x D   is also   B x G x (R * S) x D
//
// and one matrix product per key head covers all of its query heads.

#include "Import/OpTable.h"
#include <cmath>

using namespace mlir;
using convoy::graph::BinaryKind;
using convoy::graph::UnaryKind;

namespace convoy::import {
namespace {

/// Reshapes `x`; a 0 in `shape` keeps the dimension at that position.
Value reshapeKeeping(NodeContext &n, Value x, ArrayRef<int64_t> shape) {
  return n.emit<graph::ReshapeOp>(x, n.ints(shape), /*allowZero=*/false);
}

/// Returns a static or dynamic dimension as an i64 scalar. The result is
/// unspecified after a failure.
Value dimension(NodeContext &n, Value x, int64_t axis) {
  auto type = dyn_cast<RankedTensorType>(x.getType());
  if (type && axis < type.getRank() && !type.isDynamicDim(axis)) {
    return n.intScalar(type.getDimSize(axis));
  }
  Value size = n.emit<graph::ShapeOp>(x, axis, n.builder.getI64IntegerAttr(axis + 1));
  return n.reshape(size, {});
}

/// Returns the vector 0, 1, ... up to the dimension (exclusive).
Value indicesOf(NodeContext &n, Value x, int64_t axis) {
  return n.emit<graph::RangeOp>(n.intScalar(0), dimension(n, x, axis), n.intScalar(1));
}

//===-- Attention --------------------------------------------------------------------------===//

/// The operands and head counts of one Attention node during import.
struct Attention {
  Value query, key, value;
  int64_t queryHeads = 0;
  int64_t keyHeads = 0;
  bool joinsHeads = false; // inputs and output have rank 3

  bool isGrouped() const { return queryHeads > 0 && keyHeads > 0 && queryHeads != keyHeads; }
  /// Reshapes B x queryHeads x S x D to one block of rows per key head, and
  /// back.
  Value group(NodeContext &n, Value x) const {
    return isGrouped() ? reshapeKeeping(n, x, {0, keyHeads, -1, 0}) : x;
  }
  Value ungroup(NodeContext &n, Value x) const {
    return isGrouped() ? reshapeKeeping(n, x, {0, queryHeads, -1, 0}) : x;
  }
};

/// Splits B x S x (H * D) into B x H x S x D.
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

/// Reads Q, K and V and converts them to B x H x S x D.
FailureOr<Attention> readAttention(NodeContext &n) {
  static constexpr StringLiteral kNames[] = {"Q", "K", "V"};
  Shape ranks;
  for (auto [i, name] : llvm::enumerate(kNames)) {
    if (failed(n.require(i, name))) {
      return failure();
    }
    FailureOr<int64_t> rank = n.rank(n.input(i));
    if (failed(rank)) {
      return failure();
    }
    ranks.push_back(*rank);
  }
  if ((ranks[0] != 3 && ranks[0] != 4) || !llvm::all_equal(ranks)) {
    return FailureOr<Attention>(n.error()
                                << "expects Q, K and V to have the same rank, 3 or 4, got ranks "
                                << ranks[0] << ", " << ranks[1] << " and " << ranks[2]);
  }
  Attention a = {n.input(0), n.input(1), n.input(2)};
  if (ranks[0] == 4) {
    auto headsOf = [&](Value x) {
      int64_t heads = cast<RankedTensorType>(x.getType()).getDimSize(1);
      return heads == graph::kDynamic ? 0 : heads;
    };
    a.queryHeads = headsOf(a.query);
    a.keyHeads = headsOf(a.key);
    return a;
  }
  a.joinsHeads = true;
  a.queryHeads = n.intAttr("q_num_heads", 0);
  a.keyHeads = n.intAttr("kv_num_heads", 0);
  FailureOr<Value> query = splitHeads(n, a.query, a.queryHeads, "q_num_heads");
  FailureOr<Value> key = splitHeads(n, a.key, a.keyHeads, "kv_num_heads");
  FailureOr<Value> value = splitHeads(n, a.value, a.keyHeads, "kv_num_heads");
  if (failed(query) || failed(key) || failed(value)) {
    return failure();
  }
  a.query = *query;
  a.key = *key;
  a.value = *value;
  return a;
}

/// Returns the attribute 'scale', or 1 / sqrt(head size) if the node has none.
FailureOr<double> scaleOf(NodeContext &n, Value query) {
  if (n.hasAttr("scale")) {
    return n.floatAttr("scale", 1);
  }
  FailureOr<Shape> shape = n.shape(query);
  if (failed(shape)) {
    return failure();
  }
  if (shape->back() <= 0) {
    return FailureOr<double>(n.unsupported()
                             << "with a dynamic head size and no attribute 'scale'; make the last "
                                "dimension of Q static or set 'scale'");
  }
  return 1 / std::sqrt(static_cast<double>(shape->back()));
}

/// Extends a mask that is shorter than the key sequence; the added keys are
/// masked out.
Value padMask(NodeContext &n, Value mask, Value scores) {
  auto maskType = dyn_cast<RankedTensorType>(mask.getType());
  auto scoresType = dyn_cast<RankedTensorType>(scores.getType());
  if (!maskType || !scoresType || maskType.getRank() == 0) {
    return mask;
  }
  int64_t given = maskType.getShape().back();
  int64_t needed = scoresType.getShape().back();
  // Before opset 24 a mask is only broadcast, never extended.
  bool isShort = given != graph::kDynamic && needed != graph::kDynamic && given < needed &&
                 (given > 1 || n.opset() >= 24);
  if (!isShort) {
    return mask;
  }
  bool isBool = n.element(mask) == ElementType::Bool;
  Value filler = n.scalarLike(mask, isBool ? 0 : -INFINITY);
  return n.emit<graph::PadOp>(mask, n.ints({0, needed - given}), filler, n.ints({-1}),
                              graph::PadMode::Constant);
}

/// Returns an `i1` mask of the keys that each query may attend to, which
/// broadcasts to the scores. Returns null if every query may attend to every
/// key.
Value allowedKeys(NodeContext &n, const Attention &a, Value mask, Value scores) {
  Value allowed = mask && n.element(mask) == ElementType::Bool ? mask : Value();
  auto restrict = [&](Value condition) {
    allowed = allowed ? n.binary(BinaryKind::And, allowed, condition) : condition;
  };
  if (n.intAttr("is_causal", 0) != 0) {
    Value rows = n.reshape(indicesOf(n, a.query, 2), {-1, 1});
    Value past = n.input(4);
    rows = past ? n.add(rows, dimension(n, past, 2)) : rows;
    restrict(n.binary(BinaryKind::LessEqual, indicesOf(n, scores, 3), rows));
  }
  if (Value lengths = n.input(6)) {
    Value perBatch = n.reshape(n.cast(lengths, ElementType::I64), {-1, 1, 1, 1});
    restrict(n.binary(BinaryKind::Less, indicesOf(n, scores, 3), perBatch));
  }
  return allowed;
}

/// Adds a floating-point mask and sets the score of every masked key to -inf.
Value applyMasks(NodeContext &n, const Attention &a, Value scores) {
  Value mask = n.input(3) ? padMask(n, n.input(3), scores) : Value();
  Value allowed = allowedKeys(n, a, mask, scores);
  if (mask && n.element(mask) != ElementType::Bool) {
    scores = n.add(scores, n.cast(mask, n.element(scores)));
  }
  return allowed ? n.select(allowed, scores, n.scalarLike(scores, -INFINITY)) : scores;
}

/// Computes softcap * tanh(x / softcap).
Value softcap(NodeContext &n, Value x) {
  double cap = n.floatAttr("softcap", 0);
  if (!(cap > 0)) {
    return x;
  }
  Value limit = n.scalarLike(x, cap);
  return n.mul(n.unary(UnaryKind::Tanh, n.div(x, limit)), limit);
}

/// Appends the keys or values of this step to the keys or values of earlier
/// steps.
Value appendTo(NodeContext &n, Value past, Value now) {
  return past ? n.concat({past, now}, 2) : now;
}

LogicalResult importAttention(NodeContext &n) {
  FailureOr<Attention> read = readAttention(n);
  if (failed(read)) {
    return failure();
  }
  Attention &a = *read;
  ElementType type = n.element(a.query);
  FailureOr<double> scale = scaleOf(n, a.query);
  FailureOr<ElementType> precision = n.elementTypeAttr("softmax_precision", type);
  int64_t mode = n.intAttr("qk_matmul_output_mode", 0);
  if (failed(scale) || failed(precision)) {
    return failure();
  }
  if (mode < 0 || mode > 3) {
    return n.error() << "expects attribute 'qk_matmul_output_mode' in [0, 3], got " << mode;
  }
  if (a.isGrouped() && a.queryHeads % a.keyHeads != 0) {
    return n.error()
           << "expects the number of query heads to be a multiple of the number of key heads, "
              "got "
           << a.queryHeads << " and " << a.keyHeads;
  }
  Value keys = appendTo(n, n.input(4), a.key);
  Value values = appendTo(n, n.input(5), a.value);
  Value scaled = n.mul(a.query, n.scalarLike(a.query, *scale));
  Value product = a.ungroup(n, n.matmul(a.group(n, scaled), n.transpose(keys, {0, 1, 3, 2})));
  // The masks are applied after the cap. A cap applied to -inf yields a finite
  // score, and softmax would assign the masked key a weight. The text of ONNX
  // 1.20 has the opposite order; ONNX corrected the text of all opsets
  // (onnx#7867) and renumbered the modes (onnx#7913).
  Value capped = softcap(n, product);
  Value masked = applyMasks(n, a, capped);
  Value weights = n.cast(n.emit<graph::SoftmaxOp>(n.cast(masked, *precision), int64_t(3)), type);
  Value y = a.ungroup(n, n.matmul(a.group(n, weights), n.cast(values, type)));
  if (a.joinsHeads) {
    y = reshapeKeeping(n, n.transpose(y, {0, 2, 1, 3}), {0, 0, -1});
  }
  const Value stages[] = {product, capped, masked, weights};
  return n.yield({y, keys, values, stages[mode]});
}

//===-- Rotary embedding -------------------------------------------------------------------===//

/// Inserts dimensions of size 1 at `axes` of the result.
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

/// Returns the cache entries of each position, B x S x rotated / 2.
FailureOr<Value> cacheOf(NodeContext &n, unsigned input, StringRef name, int64_t half) {
  if (failed(n.require(input, name))) {
    return failure();
  }
  Value cache = n.input(input);
  if (Value positions = n.input(3)) {
    cache = n.emit<graph::GatherOp>(cache, positions, int64_t(0));
  }
  FailureOr<Shape> shape = n.shape(cache);
  if (failed(shape)) {
    return failure();
  }
  if (shape->size() != 3) {
    return FailureOr<Value>(n.error() << "expects " << name << " of rank "
                                      << (n.input(3) ? "2 and position_ids of rank 2" : "3")
                                      << ", got " << n.input(input).getType());
  }
  return n.slice(cache, 2, 0, half);
}

/// Rotates the first `rotated` elements of each head. The two elements of a
/// pair are adjacent (interleaved) or half a head apart. The reshape therefore
/// inserts a dimension of size 2 after or before the dimension of pairs.
FailureOr<Value> rotate(NodeContext &n, Value x, int64_t headAxis, int64_t rotated) {
  bool isInterleaved = n.intAttr("interleaved", 0) != 0;
  int64_t half = rotated / 2;
  int64_t pairAxis = isInterleaved ? 4 : 3;
  FailureOr<Value> cosCache = cacheOf(n, 1, "cos_cache", half);
  FailureOr<Value> sinCache = cacheOf(n, 2, "sin_cache", half);
  if (failed(cosCache) || failed(sinCache)) {
    return failure();
  }
  Value cos = unsqueeze(n, *cosCache, {headAxis, pairAxis});
  Value sin = unsqueeze(n, *sinCache, {headAxis, pairAxis});
  Value pairs = isInterleaved ? reshapeKeeping(n, x, {0, 0, 0, half, 2})
                              : reshapeKeeping(n, x, {0, 0, 0, 2, half});
  Value first = n.slice(pairs, pairAxis, 0, 1);
  Value second = n.slice(pairs, pairAxis, 1, 2);
  Value real = n.sub(n.mul(cos, first), n.mul(sin, second));
  Value imaginary = n.add(n.mul(sin, first), n.mul(cos, second));
  return reshapeKeeping(n, n.concat({real, imaginary}, pairAxis), {0, 0, 0, rotated});
}

/// Returns x as B x H x S x D, or as B x S x H x D if x has rank 3.
FailureOr<Value> splitRotaryInput(NodeContext &n, ArrayRef<int64_t> shape) {
  if (shape.size() == 4) {
    return n.input(0);
  }
  int64_t heads = n.intAttr("num_heads", 0);
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

LogicalResult importRotaryEmbedding(NodeContext &n) {
  if (failed(n.require(0, "X"))) {
    return failure();
  }
  FailureOr<Shape> shape = n.shape(n.input(0));
  if (failed(shape)) {
    return failure();
  }
  FailureOr<Value> x = splitRotaryInput(n, *shape);
  if (failed(x) || n.hasFailed) {
    return failure(); // The callee emitted the error.
  }
  int64_t headSize = cast<RankedTensorType>(x->getType()).getShape().back();
  int64_t rotated = n.intAttr("rotary_embedding_dim", 0);
  rotated = rotated == 0 ? headSize : rotated;
  if (headSize == graph::kDynamic) {
    return n.unsupported() << "with a dynamic head size; make the last dimension of X static";
  }
  if (rotated <= 0 || rotated % 2 != 0 || rotated > headSize) {
    return n.error() << "expects 'rotary_embedding_dim' to be even and at most the head size "
                     << headSize << ", got " << rotated;
  }
  bool isWhole = rotated == headSize;
  int64_t headAxis = shape->size() == 4 ? 1 : 2;
  FailureOr<Value> y = rotate(n, isWhole ? *x : n.slice(*x, 3, 0, rotated), headAxis, rotated);
  if (failed(y)) {
    return failure();
  }
  Value joined = isWhole ? *y : n.concat({*y, n.slice(*x, 3, rotated, headSize)}, 3);
  return n.yield(shape->size() == 4 ? joined : reshapeKeeping(n, joined, {0, 0, -1}));
}

constexpr OpRow kRows[] = {
    {"Attention", importAttention, "requires a static head size or the attribute 'scale'"},
    {"RotaryEmbedding", importRotaryEmbedding, "requires a static head size"},
};

} // namespace

llvm::ArrayRef<OpRow> attentionRows() { return kRows; }

} // namespace convoy::import
