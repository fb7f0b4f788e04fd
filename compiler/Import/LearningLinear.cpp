// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports the linear models of domain ai.onnx.ml.

#include "Import/Learning.h"

using namespace mlir;

namespace convoy::import {

using graph::BinaryKind;

namespace {

/// Returns X W^T + intercepts. `coefficients` holds one row of weights per target.
FailureOr<Value> linearScores(NodeContext &n, Value x, int64_t targets,
                              ArrayRef<double> intercepts) {
  SmallVector<double> weights = n.floatsAttr("coefficients");
  auto count = static_cast<int64_t>(weights.size());
  int64_t features = cast<RankedTensorType>(x.getType()).getDimSize(1);
  bool isKnown = features != graph::kDynamic;
  if (targets < 1 || weights.empty() || count % targets != 0 ||
      (isKnown && count != targets * features)) {
    return FailureOr<Value>(n.error()
                            << "has " << count << " values in 'coefficients', expected one for "
                            << "each of " << targets << " targets and "
                            << (isKnown ? std::to_string(features) : "F") << " features");
  }
  Value matrix = matrixConstant(n, weights, targets, count / targets);
  Value scores = n.matmul(x, n.transpose(matrix, {1, 0}));
  return intercepts.empty() ? scores : n.add(scores, matrixConstant(n, intercepts, 1, targets));
}

/// Returns the class index of each row, where class 1 wins above 0.
Value positiveClass(NodeContext &n, Value score) {
  Value isPositive = n.binary(BinaryKind::Greater, score, n.scalarLike(score, 0));
  return n.cast(n.reshape(isPositive, {-1}), ElementType::I64);
}

} // namespace

LogicalResult importLinearClassifier(NodeContext &n) {
  FailureOr<PostTransform> transform = postTransformAttr(n);
  FailureOr<ClassLabels> labels = classLabels(n, "classlabels_ints");
  FailureOr<Value> x = featureMatrix(n);
  if (failed(transform) || failed(labels) || failed(x)) {
    return failure();
  }
  SmallVector<double> intercepts = n.floatsAttr("intercepts");
  auto targets = intercepts.empty() ? labels->count() : static_cast<int64_t>(intercepts.size());
  FailureOr<Value> scores = linearScores(n, *x, targets, intercepts);
  if (failed(scores)) {
    return failure();
  }
  if (targets > 1) {
    if (labels->count() != targets) {
      return n.error() << "has " << labels->count() << " class labels, expected one for each of "
                       << targets << " intercepts";
    }
    Value label = labelsAt(n, *labels, indexOfLargest(n, *scores));
    return n.yield({label, transformScores(n, *scores, *transform)});
  }
  bool isPair = labels->count() == 2;
  ClassLabels binary =
      labels->strings.empty() ? ClassLabels{{0, 1}, {}} : ClassLabels{{}, {"0", "1"}};
  Value label = labelsAt(n, isPair ? *labels : binary, positiveClass(n, *scores));
  if (!isPair) {
    return n.yield({label, transformColumn(n, *scores, *transform)});
  }
  FailureOr<Value> pair = twoClassScores(n, *scores, /*isMixed=*/false, *transform);
  return failed(pair) ? failure() : n.yield({label, *pair});
}

LogicalResult importLinearRegressor(NodeContext &n) {
  FailureOr<PostTransform> transform = postTransformAttr(n);
  FailureOr<Value> x = featureMatrix(n);
  if (failed(transform) || failed(x)) {
    return failure();
  }
  int64_t targets = n.intAttr("targets", 1);
  SmallVector<double> intercepts = n.floatsAttr("intercepts");
  if (!intercepts.empty() && static_cast<int64_t>(intercepts.size()) != targets) {
    return n.error() << "has " << intercepts.size() << " values in 'intercepts', expected one for "
                     << "each of " << targets << " targets";
  }
  FailureOr<Value> scores = linearScores(n, *x, targets, intercepts);
  if (failed(scores)) {
    return failure();
  }
  return n.yield(targets == 1 ? transformColumn(n, *scores, *transform)
                              : transformScores(n, *scores, *transform));
}

} // namespace convoy::import
