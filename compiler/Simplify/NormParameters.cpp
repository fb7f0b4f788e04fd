// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes in double and rounds each weight and each bias once.

#include "Simplify/NormParameters.h"
#include <algorithm>
#include <cmath>

namespace convoy::simplify {

double NormParameters::factor(int64_t channel) const {
  return scale.asDouble(channel) / std::sqrt(variance.asDouble(channel) + epsilon);
}

Tensor scaledWeight(const Tensor &weight, int64_t axis, const NormParameters &norm,
                    int64_t groups) {
  Tensor result(weight.type(), weight.shape());
  int64_t channels = weight.dim(axis);
  int64_t inner = 1; // adjacent elements of one channel
  for (int64_t size : weight.shape().drop_front(static_cast<size_t>(axis) + 1)) {
    inner *= size;
  }
  int64_t groupSize = std::max<int64_t>(weight.size() / groups, 1); // elements of one group
  std::vector<double> factors;
  for (int64_t c = 0; c < channels * groups; ++c) {
    factors.push_back(norm.factor(c));
  }
  dispatch(weight.type(), [&](auto zero) {
    using T = decltype(zero);
    const T *in = weight.data<T>();
    T *out = result.mutableData<T>();
    for (int64_t begin = 0, run = 0; begin < weight.size(); begin += inner, ++run) {
      int64_t channel = begin / groupSize * channels + run % channels;
      double factor = factors[static_cast<size_t>(channel)];
      for (int64_t i = begin; i < begin + inner; ++i) {
        out[i] = static_cast<T>(static_cast<double>(in[i]) * factor);
      }
    }
  });
  return result;
}

Tensor foldedBias(const std::optional<Tensor> &bias, ElementType type,
                  llvm::ArrayRef<int64_t> shape, const NormParameters &norm) {
  Tensor result(type, shape);
  for (int64_t c = 0; c < result.size(); ++c) {
    double before = bias ? bias->asDouble(bias->size() == 1 ? 0 : c) : 0;
    result.setDouble(c, (before - norm.mean.asDouble(c)) * norm.factor(c) + norm.bias.asDouble(c));
  }
  return result;
}

} // namespace convoy::simplify
