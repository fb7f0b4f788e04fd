// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates batch normalization and softmax. Values are computed in double and
// rounded once when stored.

#include "reference/Evaluation.h"
#include <cmath>

using namespace mlir;

namespace convoy::reference {

static LogicalResult evaluateBatchNorm(graph::BatchNormOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  Tensor &result = e.output();
  if (input.rank() < 2 || result.shape() != input.shape()) {
    return e.error() << "expects an input of rank 2 or more and a result of the same shape";
  }
  int64_t channels = input.dim(1);
  for (Value vector : {op.getScale(), op.getBias(), op.getMean(), op.getVariance()}) {
    if (e.input(vector).size() != channels) { // [batch_norm.1]
      return e.error() << "expects vectors of " << channels << " elements, one per channel, got "
                       << e.input(vector).size();
    }
  }
  double epsilon = op.getEpsilon().convertToDouble();
  int64_t inner = 1;
  for (int64_t dim : input.shape().drop_front(2)) {
    inner *= dim;
  }
  dispatch(input.type(), [&](auto zero) {
    using T = decltype(zero);
    const T *x = input.data<T>();
    T *y = result.mutableData<T>();
    for (int64_t i = 0; i < input.size(); i += inner) {
      int64_t c = i / inner % channels;
      double deviation = std::sqrt(e.input(op.getVariance()).asDouble(c) + epsilon);
      double mean = e.input(op.getMean()).asDouble(c);
      double scale = e.input(op.getScale()).asDouble(c);
      double bias = e.input(op.getBias()).asDouble(c);
      for (int64_t k = i; k < i + inner; ++k) {
        y[k] = T((static_cast<double>(x[k]) - mean) / deviation * scale + bias);
      }
    }
  });
  return success();
}

/// Computes the softmax of `count` elements that are `stride` apart.
template <typename T>
static void softmaxLine(const T *x, T *y, int64_t count, int64_t stride, bool isLog) {
  double largest = -INFINITY;
  for (int64_t i = 0; i < count; ++i) {
    double value = x[i * stride];
    largest = value > largest || std::isnan(value) ? value : largest;
  }
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    sum += std::exp(static_cast<double>(x[i * stride]) - largest);
  }
  for (int64_t i = 0; i < count; ++i) {
    double shifted = static_cast<double>(x[i * stride]) - largest;
    y[i * stride] = T(isLog ? shifted - std::log(sum) : std::exp(shifted) / sum);
  }
}

static LogicalResult evaluateSoftmax(graph::SoftmaxOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  Tensor &result = e.output();
  auto axis = static_cast<int64_t>(op.getAxis());
  if (axis >= input.rank() || result.shape() != input.shape()) { // [softmax.1]
    return e.error() << "expects an axis below the rank " << input.rank() << ", got " << axis;
  }
  int64_t count = input.dim(axis);
  int64_t stride = 1;
  for (int64_t dim : input.shape().drop_front(axis + 1)) {
    stride *= dim;
  }
  if (input.isEmpty()) {
    return success();
  }
  dispatch(input.type(), [&](auto zero) {
    using T = decltype(zero);
    for (int64_t outer = 0; outer < input.size(); outer += count * stride) {
      for (int64_t i = outer; i < outer + stride; ++i) {
        softmaxLine(input.data<T>() + i, result.mutableData<T>() + i, count, stride, op.getIsLog());
      }
    }
  });
  return success();
}

void addNormalizationEvaluators(EvaluatorTable &table) {
  table.add<graph::BatchNormOp, evaluateBatchNorm>();
  table.add<graph::SoftmaxOp, evaluateSoftmax>();
}

} // namespace convoy::reference
