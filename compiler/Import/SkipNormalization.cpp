// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports the ops of the domain com.microsoft that add tensors and then normalize the sum. The
// sum, the embeddings and the normalization become separate graph ops; Fusion joins them again.

#include "Import/NormalizationForm.h"
#include "Import/OpTable.h"

using namespace mlir;
using convoy::graph::ReduceKind;

namespace convoy::import {
namespace {

constexpr double kEpsilon = 1e-12; // the default of these ops

/// Normalizes the last dimension and computes in the type for statistics.
FailureOr<TrailingNorm> lastDimension(NodeContext &n, Value x) {
  FailureOr<int64_t> rank = n.rank(x);
  if (failed(rank)) {
    return failure();
  }
  if (*rank < 1) {
    return FailureOr<TrailingNorm>(n.error() << "expects an input of rank 1 or more, got a scalar");
  }
  return TrailingNorm{axesFrom(*rank - 1, *rank), statisticsType(n.element(x)),
                      n.floatAttr("epsilon", kEpsilon)};
}

/// Returns input + skip + bias. The bias may be null.
Value skipSum(NodeContext &n, Value bias) {
  Value sum = n.add(n.input(0), n.input(1));
  return bias ? n.add(sum, bias) : sum;
}

LogicalResult importSkipLayerNormalization(NodeContext &n) {
  if (failed(n.requireAll({"input", "skip", "gamma"}))) {
    return failure();
  }
  Value sum = skipSum(n, n.input(4));
  FailureOr<TrailingNorm> norm = lastDimension(n, sum);
  if (failed(norm)) {
    return failure();
  }
  SmallVector<Value> results = normalizeLayer(n, sum, n.input(2), n.input(3), *norm);
  results.push_back(sum);
  return n.yield(results);
}

LogicalResult importSkipSimplifiedLayerNormalization(NodeContext &n) {
  if (failed(n.requireAll({"input", "skip", "gamma"}))) {
    return failure();
  }
  if (n.hasOutput(1)) {
    return n.unsupported() << "with output 'mean', which only training uses; remove the output";
  }
  Value sum = skipSum(n, n.input(3));
  FailureOr<TrailingNorm> norm = lastDimension(n, sum);
  if (failed(norm)) {
    return failure();
  }
  SmallVector<Value> results = normalizeRms(n, sum, n.input(2), *norm, n.hasOutput(2));
  Value inverse = n.hasOutput(2) ? results[1] : results[0];
  return n.yield({results[0], /*mean=*/results[0], inverse, sum});
}

//===-- EmbedLayerNormalization ------------------------------------------------------------===//

Value rowsOf(NodeContext &n, Value table, Value indices) {
  return n.emit<graph::GatherOp>(table, indices, int64_t(0));
}

/// Returns the position embeddings: of the given positions, or of 0, 1, ... up to the sequence.
Value positionRows(NodeContext &n, Value table, Value words) {
  if (Value positions = n.input(8)) {
    return rowsOf(n, table, positions);
  }
  Value length = n.emit<graph::ShapeOp>(words, int64_t(1), n.builder.getI64IntegerAttr(2));
  return n.emit<graph::SliceOp>(table, n.ints({0}), length, n.ints({0}), Value());
}

/// Returns the number of ones in each row of the mask, or zeros if there is no mask.
Value maskIndex(NodeContext &n) {
  Value mask = n.input(7);
  Value counted = mask ? n.binary(graph::BinaryKind::Equal, mask, n.scalarLike(mask, 1))
                       : n.binary(graph::BinaryKind::Less, n.input(0), n.input(0));
  return n.reduce(ReduceKind::Sum, n.cast(counted, ElementType::I32), {1}, /*keepDims=*/false);
}

LogicalResult importEmbedLayerNormalization(NodeContext &n) {
  static constexpr std::pair<unsigned, StringLiteral> kRequired[] = {{0, "input_ids"},
                                                                     {2, "word_embedding"},
                                                                     {3, "position_embedding"},
                                                                     {5, "gamma"},
                                                                     {6, "beta"}};
  for (auto [i, name] : kRequired) {
    if (failed(n.require(i, name))) {
      return failure();
    }
  }
  FailureOr<int64_t> rank = n.rank(n.input(0));
  if (failed(rank)) {
    return failure();
  }
  if (*rank != 2) {
    return n.error() << "expects input_ids of rank 2 (batch, sequence), got rank " << *rank;
  }
  Value words = rowsOf(n, n.input(2), n.input(0));
  Value sum = n.add(words, positionRows(n, n.input(3), words));
  if (n.input(1)) {
    if (failed(n.require(4, "segment_embedding"))) {
      return failure();
    }
    sum = n.add(sum, rowsOf(n, n.input(4), n.input(1)));
  }
  FailureOr<TrailingNorm> norm = lastDimension(n, sum);
  if (failed(norm)) {
    return failure();
  }
  Value y = normalizeLayer(n, sum, n.input(5), n.input(6), *norm)[0];
  return n.yield({y, n.hasOutput(1) ? maskIndex(n) : y, sum});
}

constexpr OpRow kRows[] = {
    {"EmbedLayerNormalization", importEmbedLayerNormalization, kWrongReadLimit, kMicrosoft},
    {"SkipLayerNormalization", importSkipLayerNormalization, "", kMicrosoft},
    {"SkipSimplifiedLayerNormalization", importSkipSimplifiedLayerNormalization, "no output 'mean'",
     kMicrosoft},
};

} // namespace

llvm::ArrayRef<OpRow> skipNormalizationRows() { return kRows; }

} // namespace convoy::import
