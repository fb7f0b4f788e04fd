// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports what the classifiers and regressors of domain ai.onnx.ml do with scores.
// The formulas are those of ONNX Runtime, because ONNX does not define them.

#include "Import/Learning.h"

using namespace mlir;

namespace convoy::import {

using graph::BinaryKind;
using graph::ReduceKind;
using graph::UnaryKind;

FailureOr<PostTransform> postTransformAttr(NodeContext &n) {
  // In the order of graph::TreePostTransform.
  FailureOr<int64_t> index = wordAttr(n, "post_transform", "NONE",
                                      {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"});
  return failed(index) ? FailureOr<PostTransform>(failure()) : static_cast<PostTransform>(*index);
}

/// Returns sqrt(2) erfinv(2 p - 1) by Winitzki's approximation of the inverse error
/// function with a = 0.147, whose relative error is below 0.002.
static Value probit(NodeContext &n, Value p) {
  constexpr double kA = 0.147, kPi = 3.14159;
  auto number = [&](double value) { return n.scalarLike(p, value); };
  Value x = n.sub(n.mul(p, number(2)), number(1));
  Value log = n.unary(UnaryKind::Log, n.mul(n.sub(number(1), x), n.add(number(1), x)));
  Value half = n.add(number(2 / (kPi * kA)), n.mul(log, number(0.5)));
  Value root = n.unary(UnaryKind::Sqrt, n.sub(n.mul(half, half), n.div(log, number(kA))));
  Value size = n.unary(UnaryKind::Sqrt, n.sub(root, half));
  Value isNegative = n.binary(BinaryKind::Less, x, number(0));
  Value signedSize = n.select(isNegative, n.unary(UnaryKind::Neg, size), size);
  return n.mul(signedSize, number(1.41421356));
}

/// Applies softmax to the scores that are not 0. Scores near 0 only scale.
static Value softmaxZero(NodeContext &n, Value scores) {
  constexpr double kZero = 1e-7;
  Value largest = n.reduce(ReduceKind::Max, scores, {1}, /*keepDims=*/true);
  Value exponential = n.unary(UnaryKind::Exp, n.sub(scores, largest));
  Value isCounted =
      n.binary(BinaryKind::Greater, n.unary(UnaryKind::Abs, scores), n.scalarLike(scores, kZero));
  Value counted = n.select(isCounted, exponential, n.scalarLike(scores, 0));
  Value sum = n.reduce(ReduceKind::Sum, counted, {1}, /*keepDims=*/true);
  Value scaled = n.mul(scores, n.unary(UnaryKind::Exp, n.unary(UnaryKind::Neg, largest)));
  return n.div(n.select(isCounted, exponential, scaled), sum);
}

Value transformScores(NodeContext &n, Value scores, PostTransform transform) {
  switch (transform) {
  case PostTransform::Softmax:
    return n.emit<graph::SoftmaxOp>(scores, int64_t(1));
  case PostTransform::Logistic:
    return n.unary(UnaryKind::Sigmoid, scores);
  case PostTransform::SoftmaxZero:
    return softmaxZero(n, scores);
  case PostTransform::Probit:
    return probit(n, scores);
  case PostTransform::None:
    break;
  }
  return scores;
}

Value transformColumn(NodeContext &n, Value score, PostTransform transform) {
  return transform == PostTransform::Probit ? probit(n, score) : score;
}

FailureOr<Value> twoClassScores(NodeContext &n, Value score, bool isMixed,
                                PostTransform transform) {
  if (transform == PostTransform::Probit) {
    return FailureOr<Value>(
        n.unsupported() << "with post_transform 'PROBIT' for two classes with one score, for which "
                           "ONNX defines no second column; export one score per class");
  }
  bool isLogistic = transform == PostTransform::Logistic;
  Value other =
      isMixed || isLogistic ? n.unary(UnaryKind::Neg, score) : n.sub(n.scalarLike(score, 1), score);
  Value pair = n.concat({other, score}, 1);
  return isLogistic ? n.unary(UnaryKind::Sigmoid, pair) : pair;
}

Value indexOfLargest(NodeContext &n, Value scores) {
  return n.emit<graph::ArgReduceOp>(scores, /*axis=*/int64_t(1), /*keepDims=*/false,
                                    /*takesMax=*/true, /*selectLast=*/false);
}

} // namespace convoy::import
