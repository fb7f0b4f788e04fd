// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports loss functions as a gather along the class dimension, a
// multiplication by weights and a reduction.

#include "Import/OpTable.h"

using namespace mlir;
using convoy::graph::BinaryKind;
using convoy::graph::ReduceKind;
using convoy::graph::UnaryKind;

namespace convoy::import {
namespace {

constexpr int64_t kClassAxis = 1;

/// Returns scores[n, target[n, d...], d...]: one score per target. `target`
/// must not contain the ignored class.
Value scoreOfTarget(NodeContext &n, Value scores, Value target) {
  Value targetShape = n.emit<graph::ShapeOp>(target, int64_t(0), IntegerAttr());
  Value batch = n.slice(targetShape, 0, 0, 1);
  Value spatial = n.slice(targetShape, 0, 1, std::numeric_limits<int64_t>::max());
  Value columnShape = n.concat({batch, n.ints({1}), spatial}, 0);
  Value column = n.emit<graph::ReshapeOp>(target, columnShape, /*allowZero=*/true);
  Value gathered = n.emit<graph::GatherElementsOp>(scores, column, kClassAxis);
  return n.emit<graph::ReshapeOp>(gathered, targetShape, /*allowZero=*/true);
}

/// Returns the sum of all elements as a scalar.
Value sumOf(NodeContext &n, Value x) {
  return n.emit<graph::ReduceOp>(ReduceKind::Sum, x, Value(), /*keepDims=*/false,
                                 /*noopWithEmptyAxes=*/false);
}

/// Returns the loss of log probabilities: -weight[target] * score, reduced.
/// Ignored targets have weight 0.
FailureOr<Value> negativeLogLikelihood(NodeContext &n, Value scores) {
  std::string reduction = n.stringAttr("reduction", "mean");
  if (reduction != "none" && reduction != "sum" && reduction != "mean") {
    return FailureOr<Value>(n.error() << "has reduction '" << reduction
                                      << "', expected 'none', 'sum' or 'mean'");
  }
  Value target = n.cast(n.input(1), ElementType::I64);
  Value isIgnored;
  if (n.hasAttr("ignore_index")) {
    Value ignored = n.intScalar(n.intAttr("ignore_index", 0));
    isIgnored = n.binary(BinaryKind::Equal, target, ignored);
    target = n.select(isIgnored, n.intScalar(0), target);
  }
  Value loss = n.unary(UnaryKind::Neg, scoreOfTarget(n, scores, target));
  Value weights;
  if (n.input(2)) {
    weights = n.emit<graph::GatherOp>(n.input(2), target, int64_t(0));
  }
  if (isIgnored) {
    Value kept = weights ? weights : n.scalarLike(scores, 1);
    weights = n.select(isIgnored, n.scalarLike(scores, 0), kept);
  }
  loss = weights ? n.mul(loss, weights) : loss;
  if (reduction == "none") {
    return loss;
  }
  if (reduction == "sum") {
    return sumOf(n, loss);
  }
  if (weights) {
    return n.div(sumOf(n, loss), sumOf(n, weights));
  }
  return n.emit<graph::ReduceOp>(ReduceKind::Mean, loss, Value(), /*keepDims=*/false,
                                 /*noopWithEmptyAxes=*/false);
}

LogicalResult importNegativeLogLikelihoodLoss(NodeContext &n) {
  if (failed(n.require(0, "input")) || failed(n.require(1, "target"))) {
    return failure();
  }
  FailureOr<Value> loss = negativeLogLikelihood(n, n.input(0));
  return failed(loss) ? failure() : n.yield(*loss);
}

LogicalResult importSoftmaxCrossEntropyLoss(NodeContext &n) {
  if (failed(n.require(0, "scores")) || failed(n.require(1, "labels"))) {
    return failure();
  }
  Value logProbabilities = n.emit<graph::SoftmaxOp>(n.input(0), kClassAxis, /*isLog=*/true);
  FailureOr<Value> loss = negativeLogLikelihood(n, logProbabilities);
  return failed(loss) ? failure() : n.yield({*loss, logProbabilities});
}

} // namespace

llvm::ArrayRef<OpRow> lossRows() {
  static const OpRow kRows[] = {
      {"NegativeLogLikelihoodLoss", importNegativeLogLikelihoodLoss, kWrongReadLimit},
      {"SoftmaxCrossEntropyLoss", importSoftmaxCrossEntropyLoss, kWrongReadLimit},
  };
  return kRows;
}

} // namespace convoy::import
