// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports Attention of ONNX: reads its operands and computes its masks.

#include "Import/AttentionForm.h"
#include "Import/OpTable.h"
#include <cmath>

using namespace mlir;
using convoy::graph::BinaryKind;

namespace convoy::import {
namespace {

/// One Attention node during import.
struct Attention {
  AttentionForm form;
  bool joinsHeads = false; // inputs and output have rank 3
};

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
  Attention a;
  AttentionForm &form = a.form;
  form.query = n.input(0);
  form.key = n.input(1);
  form.value = n.input(2);
  if (ranks[0] == 4) {
    auto headsOf = [&](Value x) {
      int64_t heads = cast<RankedTensorType>(x.getType()).getDimSize(1);
      return heads == graph::kDynamic ? 0 : heads;
    };
    form.queryHeads = headsOf(form.query);
    form.keyHeads = headsOf(form.key);
    return a;
  }
  a.joinsHeads = true;
  form.queryHeads = n.intAttr("q_num_heads", 0);
  form.keyHeads = n.intAttr("kv_num_heads", 0);
  FailureOr<Value> query = splitHeads(n, form.query, form.queryHeads, "q_num_heads");
  FailureOr<Value> key = splitHeads(n, form.key, form.keyHeads, "kv_num_heads");
  FailureOr<Value> value = splitHeads(n, form.value, form.keyHeads, "kv_num_heads");
  if (failed(query) || failed(key) || failed(value)) {
    return failure();
  }
  form.query = *query;
  form.key = *key;
  form.value = *value;
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
Value allowedKeys(NodeContext &n, Value query, Value mask, Value scores) {
  Value allowed = mask && n.element(mask) == ElementType::Bool ? mask : Value();
  auto restrict = [&](Value condition) {
    allowed = allowed ? n.binary(BinaryKind::And, allowed, condition) : condition;
  };
  Value perBatch = n.input(6);
  if (perBatch) {
    perBatch = n.reshape(n.cast(perBatch, ElementType::I64), {-1, 1, 1, 1});
  }
  if (n.intAttr("is_causal", 0) != 0) {
    Value rows = n.reshape(indicesOf(n, query, 2), {-1, 1});
    if (Value past = n.input(4)) {
      rows = n.add(rows, dimension(n, past, 2));
    } else if (perBatch) {
      // The queries are the last ones of each sequence, as corrected in the text of opset 24.
      Value start = n.binary(BinaryKind::Sub, perBatch, dimension(n, query, 2));
      rows = n.add(rows, start);
    }
    restrict(n.binary(BinaryKind::LessEqual, indicesOf(n, scores, 3), rows));
  }
  if (perBatch) {
    restrict(n.binary(BinaryKind::Less, indicesOf(n, scores, 3), perBatch));
  }
  return allowed;
}

/// Adds a floating-point mask and sets the score of every masked key to -inf.
Value applyMasks(NodeContext &n, Value query, Value scores) {
  Value mask = n.input(3) ? padMask(n, n.input(3), scores) : Value();
  Value allowed = allowedKeys(n, query, mask, scores);
  if (mask && n.element(mask) != ElementType::Bool) {
    scores = n.add(scores, n.cast(mask, n.element(scores)));
  }
  return allowed ? n.select(allowed, scores, n.scalarLike(scores, -INFINITY)) : scores;
}

LogicalResult checkAttention(NodeContext &n, const AttentionForm &form, int64_t mode) {
  if (mode < 0 || mode > 3) {
    return n.error() << "expects attribute 'qk_matmul_output_mode' in [0, 3], got " << mode;
  }
  if (form.isGrouped() && form.queryHeads % form.keyHeads != 0) {
    return n.error()
           << "expects the number of query heads to be a multiple of the number of key heads, "
              "got "
           << form.queryHeads << " and " << form.keyHeads;
  }
  return success();
}

LogicalResult importAttention(NodeContext &n) {
  FailureOr<Attention> read = readAttention(n);
  if (failed(read)) {
    return failure();
  }
  AttentionForm &form = read->form;
  FailureOr<double> scale = scaleOf(n, form.query);
  FailureOr<ElementType> precision = n.elementTypeAttr("softmax_precision", n.element(form.query));
  int64_t mode = n.intAttr("qk_matmul_output_mode", 0);
  if (failed(scale) || failed(precision) || failed(checkAttention(n, form, mode))) {
    return failure();
  }
  form.scale = *scale;
  form.precision = *precision;
  form.cap = n.floatAttr("softcap", 0);
  form.key = appendTo(n, n.input(4), form.key);
  form.value = appendTo(n, n.input(5), form.value);
  // The text of ONNX 1.20 applies the masks before the cap; ONNX corrected the text of all opsets
  // (onnx#7867) and renumbered the modes (onnx#7913).
  AttentionStages s =
      emitAttention(n, form, [&](Value scores) { return applyMasks(n, form.query, scores); });
  const Value stages[] = {s.product, s.capped, s.masked, s.weights};
  Value y = read->joinsHeads ? joinHeads(n, s.result) : s.result;
  return n.yield({y, form.key, form.value, stages[mode]});
}

constexpr OpRow kRows[] = {
    {"Attention", importAttention, "requires a static head size or the attribute 'scale'"},
};

} // namespace

llvm::ArrayRef<OpRow> attentionRows() { return kRows; }

} // namespace convoy::import
