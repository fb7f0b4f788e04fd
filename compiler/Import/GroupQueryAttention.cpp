// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports GroupQueryAttention of the domain com.microsoft. Each batch entry has its own number of
// valid keys, seqlens_k + 1, of which the last are the keys of this step:
//
//     0            past(b)        past(b) + S          T
//     +---------------+----------------+---------------+
//     |  past_key     |  keys of step  |  not valid    |
//     +---------------+----------------+---------------+
//
// AttentionForm.cpp emits the attention itself.

#include "Import/AttentionForm.h"
#include "Import/OpTable.h"
#include "Import/RotaryEmbedding.h"
#include <cmath>

using namespace mlir;
using convoy::graph::BinaryKind;

namespace convoy::import {
namespace {

enum Input : unsigned {
  kQuery,
  kKey,
  kValue,
  kPastKey,
  kPastValue,
  kLengths,
  kTotal,
  kCos,
  kSin,
  kPositions,
  kBias,
  kSink,
};

/// The operands of a node during import.
struct Grouped {
  AttentionForm form; // keys and values of this step only
  Value pastLengths;  // i64, B x 1 x 1 x 1 or a scalar: the number of keys before this step
  Value rows;         // i64, B x 1 x S x 1 or S x 1: the position of each query
  Value lastKeys;     // i64, like rows: the last key that each query may attend to
};

LogicalResult checkNode(NodeContext &n) {
  static constexpr std::pair<unsigned, StringLiteral> kRequired[] = {
      {kQuery, "query"}, {kLengths, "seqlens_k"}, {kTotal, "total_sequence_length"}};
  for (auto [i, name] : kRequired) {
    if (failed(n.require(i, name))) {
      return failure();
    }
  }
  bool isQuantized = n.intAttr("kv_cache_bit_width", 0) != 0 ||
                     n.stringAttr("k_quant_type", "NONE") != "NONE" ||
                     n.stringAttr("v_quant_type", "NONE") != "NONE";
  if (isQuantized) {
    return n.unsupported() << "with quantized keys and values; export the model with a "
                              "floating-point cache";
  }
  if (n.intAttr("qk_output", 0) != 0) {
    return n.unsupported() << "with attribute 'qk_output'; export the model without it";
  }
  if (bool(n.input(kPastKey)) != bool(n.input(kPastValue)) ||
      bool(n.input(kKey)) != bool(n.input(kValue))) {
    return n.error() << "expects 'past_key' and 'past_value', and 'key' and 'value', to be both "
                        "present or both absent";
  }
  return success();
}

/// Splits a packed query, B x S x ((heads + 2 * keyHeads) * D), or reads three inputs.
FailureOr<SmallVector<Value>> readProjections(NodeContext &n, int64_t heads, int64_t keyHeads) {
  if (n.input(kKey)) {
    return SmallVector<Value>{n.input(kQuery), n.input(kKey), n.input(kValue)};
  }
  FailureOr<Shape> shape = n.shape(n.input(kQuery));
  if (failed(shape)) {
    return failure();
  }
  int64_t all = heads + 2 * keyHeads;
  if (shape->size() != 3 || shape->back() <= 0 || shape->back() % all != 0) {
    return FailureOr<SmallVector<Value>>(
        n.error() << "expects a packed query of rank 3 whose static last dimension is a multiple "
                     "of the "
                  << all << " heads of queries, keys and values, got "
                  << n.input(kQuery).getType());
  }
  int64_t size = shape->back() / all;
  SmallVector<Value> parts;
  int64_t from = 0;
  for (int64_t count : {heads, keyHeads, keyHeads}) {
    parts.push_back(n.slice(n.input(kQuery), 2, from, from + count * size));
    from += count * size;
  }
  return parts;
}

/// Reads queries, keys and values as B x H x S x D.
LogicalResult readHeads(NodeContext &n, AttentionForm &form) {
  constexpr int64_t kMostHeads = 1 << 20;
  form.queryHeads = n.intAttr("num_heads", 0);
  form.keyHeads = n.intAttr("kv_num_heads", 0);
  if (form.queryHeads <= 0 || form.keyHeads <= 0 || form.queryHeads > kMostHeads ||
      form.queryHeads % form.keyHeads != 0) {
    return n.error() << "expects attribute 'num_heads' to be a multiple of 'kv_num_heads', got "
                     << form.queryHeads << " and " << form.keyHeads;
  }
  FailureOr<SmallVector<Value>> parts = readProjections(n, form.queryHeads, form.keyHeads);
  if (failed(parts)) {
    return failure();
  }
  Value *const heads[] = {&form.query, &form.key, &form.value};
  for (auto [i, part] : llvm::enumerate(*parts)) {
    FailureOr<int64_t> rank = n.rank(part);
    if (failed(rank)) {
      return failure();
    }
    if (*rank != 3) {
      return n.error() << "expects query, key and value of rank 3, got " << part.getType();
    }
    FailureOr<Value> split = i == 0 ? splitHeads(n, part, form.queryHeads, "num_heads")
                                    : splitHeads(n, part, form.keyHeads, "kv_num_heads");
    if (failed(split)) {
      return failure();
    }
    *heads[i] = *split;
  }
  return success();
}

Value integer(NodeContext &n, Value x, ArrayRef<int64_t> shape) {
  return n.cast(n.reshape(x, shape), ElementType::I64);
}

/// Returns whether the tensor B x H x S x D is known to have one row.
bool hasOneRow(Value x) {
  auto type = dyn_cast<RankedTensorType>(x.getType());
  return type && type.getRank() == 4 && type.getDimSize(2) == 1;
}

/// Sets the positions of the queries. A step whose sequence is the total sequence is the first one.
/// Its queries behind the last valid key are padding; they attend to the valid keys.
void setPositions(NodeContext &n, Grouped &g) {
  Value steps = dimension(n, g.form.query, 2);
  Value lengths = integer(n, n.input(kLengths), {-1, 1, 1, 1});
  g.pastLengths = n.intScalar(0);
  if (n.input(kPastKey)) {
    Value isFirst = n.binary(BinaryKind::Equal, integer(n, n.input(kTotal), {}), steps);
    Value before = n.sub(n.add(lengths, n.intScalar(1)), steps);
    g.pastLengths = n.select(isFirst, n.intScalar(0), before);
  }
  g.rows = n.add(n.reshape(indicesOf(n, g.form.query, 2), {-1, 1}), g.pastLengths);
  g.lastKeys = hasOneRow(g.form.query) ? g.rows : n.binary(BinaryKind::Min, g.rows, lengths);
}

/// Rotates queries and keys with the cache entries of their positions.
LogicalResult rotate(NodeContext &n, Grouped &g) {
  if (n.intAttr("do_rotary", 0) == 0) {
    return success();
  }
  if (n.hasFailed || failed(n.require(kCos, "cos_cache")) || failed(n.require(kSin, "sin_cache"))) {
    return failure();
  }
  FailureOr<Shape> cache = n.shape(n.input(kCos));
  FailureOr<Shape> query = n.shape(g.form.query);
  FailureOr<int64_t> rowRank = n.rank(g.rows);
  if (failed(cache) || failed(query) || failed(rowRank)) {
    return failure();
  }
  if (cache->size() != 2 || cache->back() <= 0 || query->back() <= 0) {
    return n.unsupported() << "unless cos_cache has rank 2 and the head size is static, got "
                           << n.input(kCos).getType() << " and " << g.form.query.getType();
  }
  RotaryForm form;
  form.rotated = 2 * cache->back();
  if (failed(checkRotated(n, form.rotated, query->back()))) {
    return failure();
  }
  Value positions = n.input(kPositions);
  if (!positions) {
    positions = *rowRank == 4 ? reshapeKeeping(n, g.rows, {0, -1}) : n.reshape(g.rows, {1, -1});
  }
  form.isInterleaved = n.intAttr("rotary_interleaved", 0) != 0;
  form.cos = n.emit<graph::GatherOp>(n.input(kCos), positions, int64_t(0));
  form.sin = n.emit<graph::GatherOp>(n.input(kSin), positions, int64_t(0));
  g.form.query = rotateHeads(n, g.form.query, form);
  g.form.key = rotateHeads(n, g.form.key, form);
  return success();
}

//===-- Cache ------------------------------------------------------------------------------===//

/// Returns the number of keys after this step: the constant total sequence, but at least the
/// size of the past, or past and sequence if the total sequence is not constant.
Value presentLength(NodeContext &n, Value past, Value now) {
  Value old = dimension(n, past, 2);
  std::optional<Tensor> total = n.known(n.input(kTotal));
  bool isNumber = total && total->size() == 1 && isInteger(total->type());
  return isNumber ? n.binary(BinaryKind::Max, old, n.intScalar(total->asInt(0)))
                  : n.add(old, dimension(n, now, 2));
}

/// Returns `past` with rows of zeros up to `length`.
Value padRows(NodeContext &n, Value past, Value length) {
  Value added = n.reshape(n.sub(length, dimension(n, past, 2)), {1});
  return n.emit<graph::PadOp>(past, n.concat({n.ints({0}), added}, 0), n.scalarLike(past, 0),
                              n.ints({2}), graph::PadMode::Constant);
}

/// Returns the rows of the past up to `pastLengths`, then the rows of this step, then zeros. Memory
/// behind the valid rows may hold NaN, which a weight of 0 does not remove.
Value writeRows(NodeContext &n, Value past, Value now, Value pastLengths) {
  if (!past) {
    return now;
  }
  Value length = presentLength(n, past, now);
  Value padded = padRows(n, past, length);
  Value rows = n.emit<graph::RangeOp>(n.intScalar(0), length, n.intScalar(1));
  Value offset = n.sub(n.reshape(rows, {1, 1, -1, 1}), pastLengths);
  Value isOld = n.binary(BinaryKind::Less, offset, n.intScalar(0));
  Value valid = n.select(isOld, padded, n.scalarLike(padded, 0));
  if (hasOneRow(now)) {
    return n.select(n.binary(BinaryKind::Equal, offset, n.intScalar(0)), now, valid);
  }
  Value steps = dimension(n, now, 2);
  Value last = n.sub(steps, n.intScalar(1));
  Value from = n.binary(BinaryKind::Min, n.binary(BinaryKind::Max, offset, n.intScalar(0)), last);
  Value shape = n.emit<graph::ShapeOp>(padded, int64_t(0), IntegerAttr());
  Value moved =
      n.emit<graph::GatherElementsOp>(now, n.emit<graph::ExpandOp>(from, shape), int64_t(2));
  Value isNew =
      n.binary(BinaryKind::And, n.binary(BinaryKind::GreaterEqual, offset, n.intScalar(0)),
               n.binary(BinaryKind::Less, offset, steps));
  return n.select(isNew, moved, valid);
}

//===-- Attention --------------------------------------------------------------------------===//

/// Adds the bias and excludes the keys after each query, and the keys before its local window.
Value applyMasks(NodeContext &n, Value scores, const Grouped &g) {
  scores = n.input(kBias) ? n.add(scores, n.input(kBias)) : scores;
  Value keys = indicesOf(n, scores, 3);
  Value allowed = n.binary(BinaryKind::LessEqual, keys, g.lastKeys);
  int64_t window = n.intAttr("local_window_size", -1);
  if (window > 0) {
    Value first = n.sub(g.lastKeys, n.intScalar(window));
    allowed = n.binary(BinaryKind::And, allowed, n.binary(BinaryKind::Greater, keys, first));
  }
  return n.select(allowed, scores, n.scalarLike(scores, -INFINITY));
}

LogicalResult setNumbers(NodeContext &n, AttentionForm &form) {
  FailureOr<Shape> shape = n.shape(form.query);
  if (failed(shape)) {
    return failure();
  }
  form.precision = n.element(form.query);
  form.cap = n.floatAttr("softcap", 0);
  form.scale = n.floatAttr("scale", 0);
  if (form.scale == 0 && shape->back() <= 0) {
    return n.unsupported() << "with a dynamic head size and no attribute 'scale'; make the last "
                              "dimension of the query static or set 'scale'";
  }
  form.scale = form.scale == 0 ? 1 / std::sqrt(static_cast<double>(shape->back())) : form.scale;
  if (Value sink = n.input(kSink)) {
    form.sink = n.reshape(n.cast(sink, form.precision), {1, -1, 1, 1});
  } else if (n.intAttr("smooth_softmax", 0) > 0) {
    form.sink = n.scalarLike(form.query, 0);
  }
  return success();
}

LogicalResult importGroupQueryAttention(NodeContext &n) {
  Grouped g;
  if (failed(checkNode(n)) || failed(readHeads(n, g.form)) || failed(setNumbers(n, g.form))) {
    return failure();
  }
  setPositions(n, g);
  if (failed(rotate(n, g))) {
    return failure();
  }
  g.form.key = writeRows(n, n.input(kPastKey), g.form.key, g.pastLengths);
  g.form.value = writeRows(n, n.input(kPastValue), g.form.value, g.pastLengths);
  AttentionStages s =
      emitAttention(n, g.form, [&](Value scores) { return applyMasks(n, scores, g); });
  return n.yield({joinHeads(n, s.result), g.form.key, g.form.value});
}

constexpr OpRow kRows[] = {
    {"GroupQueryAttention", importGroupQueryAttention,
     "no quantized cache; if total_sequence_length is not constant, present_key and present_value "
     "have as many rows as past and sequence together",
     kMicrosoft},
};

} // namespace

llvm::ArrayRef<OpRow> groupQueryAttentionRows() { return kRows; }

} // namespace convoy::import
