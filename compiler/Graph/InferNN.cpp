// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Type rules of the normalization ops of NN.td. InferWindow.cpp,
// InferTransform.cpp and InferSampling.cpp hold the rules for windows, matrix
// products and sampling.

#include "Graph/Graph.h"
#include "Graph/RuleChecks.h"

using namespace mlir;

namespace convoy::graph {

LogicalResult BatchNormOp::inferTypes(TypeInference &inference) {
  int64_t channels = kDynamic;
  if (inference.hasRank(getInput())) {
    Shape shape = inference.shape(getInput());
    // ONNX defines that an input without a channel dimension has one channel.
    channels = shape.size() > 1 ? shape[1] : 1;
  }
  if (failed(expectFloats(inference, getInput(), "an input"))) {
    return failure();
  }
  std::pair<Value, StringRef> vectors[] = {{getScale(), "the scale"},
                                           {getBias(), "the bias"},
                                           {getMean(), "the mean"},
                                           {getVariance(), "the variance"}};
  for (auto [value, name] : vectors) { // [batch_norm.1]
    if (failed(expectFloats(inference, value, name)) ||
        failed(expectVector(inference, value, channels, name))) {
      return failure();
    }
  }
  inference.set(0, inference.type(getInput()));
  return success();
}

LogicalResult SoftmaxOp::inferTypes(TypeInference &inference) {
  if (failed(expectFloats(inference, getInput(), "an input"))) {
    return failure();
  }
  int64_t axis = getAxis();
  bool isInside = !inference.hasRank(getInput()) ||
                  axis < static_cast<int64_t>(inference.shape(getInput()).size());
  if (axis < 0 || !isInside) { // [softmax.1]
    return inference.error() << "expects an axis within the rank of " << inference.type(getInput())
                             << ", got " << axis;
  }
  inference.set(0, inference.type(getInput()));
  return success();
}

LogicalResult LRNOp::inferTypes(TypeInference &inference) {
  if (failed(expectFloats(inference, getInput(), "an input"))) {
    return failure();
  }
  if (inference.hasRank(getInput()) && inference.shape(getInput()).size() < 2) {
    return inference.error() << "expects an input with a channel dimension, got "
                             << inference.type(getInput());
  }
  if (static_cast<int64_t>(getSize()) < 1) {
    return inference.error() << "expects a size of 1 or more, got "
                             << static_cast<int64_t>(getSize());
  }
  inference.set(0, inference.type(getInput()));
  return success();
}

} // namespace convoy::graph
