// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports MultiHeadAttention, Attention and QAttention of the domain com.microsoft. The three
// differ in how they store queries, keys and values; AttentionForm.cpp emits the attention itself.

#include "Import/AttentionForm.h"
#include "Import/IntegerProduct.h"
#include "Import/OpTable.h"
#include <cmath>

using namespace mlir;
using convoy::graph::BinaryKind;

namespace convoy::import {
namespace {

//===-- Masks ------------------------------------------------------------------------------===//

/// Returns an `i1` mask B x 1 x 1 x T from the first key that a batch entry excludes, and, in a
/// vector of twice the length, the first key that it includes.
FailureOr<Value> maskOfLengths(NodeContext &n, Value lengths, Value key) {
  int64_t count = cast<RankedTensorType>(lengths.getType()).getDimSize(0);
  int64_t batch = cast<RankedTensorType>(key.getType()).getDimSize(0);
  bool isKnown = count != graph::kDynamic && batch != graph::kDynamic;
  if (!isKnown || (count != batch && count != 2 * batch)) {
    InFlightDiagnostic diag = n.unsupported() << "with a mask " << lengths.getType() << " for ";
    if (isKnown) {
      diag << "a batch of " << batch;
    } else {
      diag << "a dynamic batch";
    }
    return FailureOr<Value>(diag << "; use one or two lengths per batch entry, or a mask with an "
                                    "entry per key");
  }
  auto part = [&](int64_t from) {
    Value slice = n.slice(lengths, 0, from, from + batch);
    return n.cast(n.reshape(slice, {-1, 1, 1, 1}), ElementType::I64);
  };
  Value keys = indicesOf(n, key, 2);
  Value allowed = n.binary(BinaryKind::Less, keys, part(0));
  if (count == batch) {
    return allowed;
  }
  Value isBehindStart = n.binary(BinaryKind::GreaterEqual, keys, part(batch));
  return n.binary(BinaryKind::And, allowed, isBehindStart);
}

/// Returns an `i1` mask that broadcasts to the scores from a mask of rank 1 to 3.
FailureOr<Value> readMask(NodeContext &n, Value mask, Value key) {
  FailureOr<int64_t> rank = n.rank(mask);
  if (failed(rank) || failed(n.rank(key))) {
    return failure();
  }
  if (*rank == 1) {
    return maskOfLengths(n, mask, key);
  }
  if (*rank != 2 && *rank != 3) {
    return FailureOr<Value>(n.unsupported()
                            << "with a mask of rank " << *rank << "; use a mask of rank 1, 2 or 3");
  }
  Value isSet = n.binary(BinaryKind::Greater, mask, n.scalarLike(mask, 0));
  SmallVector<int64_t> axes = {1}; // heads
  if (*rank == 2) {
    axes.push_back(2); // queries
  }
  return unsqueeze(n, isSet, axes);
}

/// The tensors that one attention adds to its scores or that exclude keys; each may be null.
struct ScoreMasks {
  Value keys;       // i1, false: adds mask_filter_value
  Value bias;       // added
  Value pastLength; // i64 scalar, the number of keys before the first query
};

Value applyMasks(NodeContext &n, Value scores, const ScoreMasks &masks, Value query) {
  if (masks.keys) {
    double filter = n.floatAttr("mask_filter_value", -10000);
    Value addend = n.select(masks.keys, n.scalarLike(scores, 0), n.scalarLike(scores, filter));
    scores = n.add(scores, addend);
  }
  scores = masks.bias ? n.add(scores, masks.bias) : scores;
  if (n.intAttr("unidirectional", 0) == 0) {
    return scores;
  }
  Value rows = n.reshape(indicesOf(n, query, 2), {-1, 1});
  rows = masks.pastLength ? n.add(rows, masks.pastLength) : rows;
  Value allowed = n.binary(BinaryKind::LessEqual, indicesOf(n, scores, 3), rows);
  return n.select(allowed, scores, n.scalarLike(scores, -INFINITY));
}

/// Sets the scale: the attribute, or 1 / sqrt(head size) if it is 0 or absent.
LogicalResult setScale(NodeContext &n, AttentionForm &form) {
  form.precision = n.element(form.query);
  form.scale = n.floatAttr("scale", 0);
  FailureOr<Shape> shape = n.shape(form.query);
  if (failed(shape)) {
    return failure();
  }
  if (form.scale == 0 && shape->back() <= 0) {
    return n.unsupported() << "with a dynamic head size and no attribute 'scale'; make the last "
                              "dimension of the query static or set 'scale'";
  }
  form.scale = form.scale == 0 ? 1 / std::sqrt(static_cast<double>(shape->back())) : form.scale;
  return success();
}

/// Emits the attention and returns its result as B x S x (H * D).
Value attend(NodeContext &n, const AttentionForm &form, const ScoreMasks &masks) {
  AttentionStages s = emitAttention(
      n, form, [&](Value scores) { return applyMasks(n, scores, masks, form.query); });
  return joinHeads(n, s.result);
}

LogicalResult rejectInput(NodeContext &n, unsigned input, StringRef name) {
  if (!n.input(input)) {
    return success();
  }
  return n.unsupported() << "with input '" << name << "'; export the model without it";
}

LogicalResult rejectFlag(NodeContext &n, StringRef name) {
  if (n.intAttr(name, 0) == 0) {
    return success();
  }
  return n.unsupported() << "with attribute '" << name << "'; export the model without it";
}

//===-- MultiHeadAttention -----------------------------------------------------------------===//

/// Returns part i of B x S x H x parts x D as B x H x S x D.
Value packedPart(NodeContext &n, Value packed, int64_t i) {
  Value part = n.emit<graph::GatherOp>(packed, n.intScalar(i), int64_t(3));
  return n.transpose(part, {0, 2, 1, 3});
}

/// Returns x + bias[from, from + size), where size is the last dimension of x.
FailureOr<Value> addBias(NodeContext &n, Value x, Value bias, int64_t &from) {
  FailureOr<Shape> shape = n.shape(x);
  if (failed(shape) || !bias) {
    return failed(shape) ? FailureOr<Value>(failure()) : FailureOr<Value>(x);
  }
  if (shape->back() == graph::kDynamic) {
    return FailureOr<Value>(n.unsupported() << "with 'bias' and a dynamic last dimension of "
                                            << x.getType() << "; make the dimension static");
  }
  int64_t begin = std::exchange(from, from + shape->back());
  return n.add(x, n.slice(bias, 0, begin, from));
}

/// Adds the bias and splits the heads of an input of rank 3.
FailureOr<Value> biasedHeads(NodeContext &n, Value x, int64_t heads, int64_t &from) {
  FailureOr<int64_t> rank = n.rank(x);
  if (failed(rank)) {
    return failure();
  }
  if (*rank != 3) {
    return FailureOr<Value>(n.error() << "expects query, key and value of the same rank, got "
                                      << x.getType());
  }
  FailureOr<Value> sum = addBias(n, x, n.input(3), from);
  return failed(sum) ? sum : splitHeads(n, *sum, heads, "num_heads");
}

/// Reads the keys and values: of rank 3, packed in one tensor of rank 5, or of rank 4 with the
/// heads before the sequence.
LogicalResult readKeys(NodeContext &n, AttentionForm &form, int64_t heads, int64_t biasFrom) {
  if (failed(n.require(1, "key"))) {
    return failure();
  }
  FailureOr<int64_t> rank = n.rank(n.input(1));
  if (failed(rank)) {
    return failure();
  }
  if (*rank == 5) {
    form.key = packedPart(n, n.input(1), 0);
    form.value = packedPart(n, n.input(1), 1);
    return success();
  }
  if (failed(n.require(2, "value"))) {
    return failure();
  }
  if (*rank == 4) {
    FailureOr<int64_t> valueRank = n.rank(n.input(2));
    if (failed(valueRank) || *valueRank != 4) {
      return failed(valueRank) ? LogicalResult(failure())
                               : n.error() << "expects a value of rank 4 like the key, got "
                                           << n.input(2).getType();
    }
    form.key = n.input(1);
    form.value = n.input(2);
    return success();
  }
  if (*rank != 3) {
    return n.error() << "expects a key of rank 3, 4 or 5, got rank " << *rank;
  }
  FailureOr<Value> key = biasedHeads(n, n.input(1), heads, biasFrom);
  FailureOr<Value> value = failed(key) ? key : biasedHeads(n, n.input(2), heads, biasFrom);
  if (failed(value)) {
    return failure();
  }
  form.key = *key;
  form.value = *value;
  return success();
}

FailureOr<AttentionForm> readMultiHead(NodeContext &n) {
  FailureOr<int64_t> rank = n.rank(n.input(0));
  if (failed(rank)) {
    return failure();
  }
  int64_t heads = n.intAttr("num_heads", 0);
  AttentionForm form;
  form.queryHeads = form.keyHeads = heads;
  if (*rank == 5) {
    if (n.input(1) || n.input(3)) {
      return FailureOr<AttentionForm>(n.unsupported()
                                      << "with a packed query of rank 5 and 'key' or "
                                         "'bias'; use a query of rank 3");
    }
    form.query = packedPart(n, n.input(0), 0);
    form.key = packedPart(n, n.input(0), 1);
    form.value = packedPart(n, n.input(0), 2);
    return form;
  }
  if (*rank != 3) {
    return FailureOr<AttentionForm>(n.error()
                                    << "expects a query of rank 3 or 5, got rank " << *rank);
  }
  int64_t biasFrom = 0;
  FailureOr<Value> query = biasedHeads(n, n.input(0), heads, biasFrom);
  if (failed(query) || failed(readKeys(n, form, heads, biasFrom))) {
    return failure();
  }
  form.query = *query;
  return form;
}

LogicalResult importMultiHeadAttention(NodeContext &n) {
  if (failed(n.require(0, "query")) || failed(rejectInput(n, 8, "past_sequence_length")) ||
      failed(rejectInput(n, 9, "cache_indirection"))) {
    return failure();
  }
  FailureOr<AttentionForm> form = readMultiHead(n);
  if (failed(form) || n.hasFailed || failed(setScale(n, *form))) {
    return failure();
  }
  for (unsigned past : {6, 7}) {
    bool isMissing = !n.input(6) != !n.input(7);
    if (isMissing || (n.input(past) && n.hasRank(n.input(past)) && *n.rank(n.input(past)) != 4)) {
      return n.error() << "expects 'past_key' and 'past_value' of rank 4, both or neither";
    }
  }
  form->key = appendTo(n, n.input(6), form->key);
  form->value = appendTo(n, n.input(7), form->value);
  ScoreMasks masks;
  masks.bias = n.input(5);
  masks.pastLength = n.input(6) ? dimension(n, n.input(6), 2) : Value();
  if (n.input(4)) {
    FailureOr<Value> mask = readMask(n, n.input(4), form->key);
    if (failed(mask)) {
      return failure();
    }
    masks.keys = *mask;
  }
  return n.yield({attend(n, *form, masks), form->key, form->value});
}

//===-- Attention and QAttention -----------------------------------------------------------===//

/// Splits the product of the input and the weights, B x S x (D + D + Dv), into three.
FailureOr<AttentionForm> splitProduct(NodeContext &n, Value product) {
  FailureOr<Shape> shape = n.shape(product);
  if (failed(shape)) {
    return failure();
  }
  Shape sizes = n.intsAttr("qkv_hidden_sizes");
  int64_t total = shape->empty() ? 0 : shape->back();
  if (sizes.empty() && total > 0 && total % 3 == 0) {
    sizes = Shape(3, total / 3);
  }
  if (shape->size() != 3 || sizes.size() != 3 ||
      llvm::any_of(sizes, [&](int64_t size) { return size <= 0 || size > total; }) ||
      sizes[0] + sizes[1] + sizes[2] != total) {
    return FailureOr<AttentionForm>(
        n.error() << "expects a product of rank 3 whose static last dimension is the sum of the "
                     "sizes of queries, keys and values, got "
                  << product.getType());
  }
  AttentionForm form;
  form.queryHeads = form.keyHeads = n.intAttr("num_heads", 0);
  Value *const parts[] = {&form.query, &form.key, &form.value};
  int64_t from = 0;
  for (auto [part, size] : llvm::zip(parts, sizes)) {
    FailureOr<Value> heads =
        splitHeads(n, n.slice(product, 2, from, from + size), form.queryHeads, "num_heads");
    if (failed(heads)) {
      return failure();
    }
    *part = *heads;
    from += size;
  }
  return form;
}

/// The optional inputs that Attention and QAttention have at different positions.
struct SelfAttention {
  Value mask, past, bias;
};

/// Completes an attention from the product of its input and weights.
LogicalResult attendToSelf(NodeContext &n, Value product, const SelfAttention &node) {
  if (failed(rejectFlag(n, "do_rotary")) || failed(rejectFlag(n, "past_present_share_buffer"))) {
    return failure();
  }
  FailureOr<AttentionForm> form = splitProduct(n, product);
  if (failed(form) || n.hasFailed || failed(setScale(n, *form))) {
    return failure();
  }
  ScoreMasks masks;
  masks.bias = node.bias;
  if (node.past) {
    auto pastOf = [&](int64_t i) {
      return n.emit<graph::GatherOp>(node.past, n.intScalar(i), int64_t(0));
    };
    form->key = appendTo(n, pastOf(0), form->key);
    form->value = appendTo(n, pastOf(1), form->value);
    masks.pastLength = dimension(n, node.past, 3);
  }
  if (node.mask) {
    FailureOr<Value> mask = readMask(n, node.mask, form->key);
    if (failed(mask)) {
      return failure();
    }
    masks.keys = *mask;
  }
  SmallVector<Value> results = {attend(n, *form, masks)};
  if (n.hasOutput(1)) {
    results.push_back(n.concat({unsqueeze(n, form->key, {0}), unsqueeze(n, form->value, {0})}, 0));
  }
  return n.yield(results);
}

LogicalResult importMicrosoftAttention(NodeContext &n) {
  if (failed(n.requireAll({"input", "weights"})) ||
      failed(rejectInput(n, 6, "past_sequence_length"))) {
    return failure();
  }
  Value product = n.matmul(n.input(0), n.input(1));
  product = n.input(2) ? n.add(product, n.input(2)) : product;
  return attendToSelf(n, product, {n.input(3), n.input(4), n.input(5)});
}

LogicalResult importQAttention(NodeContext &n) {
  if (failed(n.requireAll({"input", "weight", "bias", "input_scale", "weight_scale"}))) {
    return failure();
  }
  Value sums = multiplyBytes(n, n.input(0), n.input(6), n.input(1), n.input(7));
  Value scale = n.mul(scalarIfSingle(n, n.input(3)), scalarIfSingle(n, n.input(4)));
  Value product = n.add(n.mul(n.cast(sums, n.element(scale)), scale), n.input(2));
  return attendToSelf(n, product, {n.input(5), n.input(8), Value()});
}

constexpr StringLiteral kLimits =
    "no rotary embedding and no buffer shared by past and present; masks of rank 1 to 3";

constexpr OpRow kRows[] = {
    {"Attention", importMicrosoftAttention, kLimits, kMicrosoft},
    {"MultiHeadAttention", importMultiHeadAttention,
     "no past_sequence_length and no cache_indirection; masks of rank 1 to 3", kMicrosoft},
    {"QAttention", importQAttention, kLimits, kMicrosoft},
};

} // namespace

llvm::ArrayRef<OpRow> multiHeadAttentionRows() { return kRows; }

} // namespace convoy::import
