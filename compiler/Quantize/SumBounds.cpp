// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the bound max over channels of sum(|w|) * max(|x|) + |bias|. Doubles
// hold it exactly up to 2^53, which is above every bound that a layer may have.

#include "Quantize/SumBounds.h"
#include <cmath>

using namespace mlir;

namespace convoy::quantize {
namespace {

/// Returns the sum of |weight - zeroPoint| per index of `axis`. If dimensions before
/// `axis` hold several matrices, their sums add up, which is an upper bound.
std::vector<double> magnitudes(const Tensor &weights, const QuantizedWeights &numbers,
                               int64_t axis) {
  int64_t inner = *elementCount(weights.shape().drop_front(axis + 1));
  std::vector<double> sums(static_cast<size_t>(weights.dim(axis)));
  dispatch(weights.type(), [&](auto zero) {
    using Stored = decltype(zero);
    if constexpr (std::is_integral_v<Stored>) {
      const Stored *stored = weights.data<Stored>();
      for (int64_t i = 0; i < weights.size(); ++i) {
        int64_t channel = i / inner % weights.dim(axis);
        sums[static_cast<size_t>(channel)] += static_cast<double>(
            std::abs(static_cast<int64_t>(stored[i]) - numbers.zeroPointOf(channel)));
      }
    }
  });
  return sums;
}

} // namespace

int64_t sumBitsOf(const Quantized &x, const QuantizedWeights &weights, int64_t axis, int64_t depth,
                  ArrayRef<double> bias) {
  std::optional<Tensor> constant = graph::constantValue(weights.value);
  std::vector<double> sums;
  if (constant && !constant->isEmpty()) {
    sums = magnitudes(*constant, weights, axis);
  } else {
    int64_t reach = reachOf({weights.value, {1, weights.zeroPoints.front()}});
    sums = {static_cast<double>(depth) * static_cast<double>(reach)};
  }
  double most = 0;
  for (size_t i = 0; i < std::max(sums.size(), bias.size()); ++i) {
    double added = bias.empty() ? 0 : std::abs(bias[bias.size() == 1 ? 0 : i]);
    most = std::max(most, sums[sums.size() == 1 ? 0 : i] * static_cast<double>(reachOf(x)) + added);
  }
  int64_t bits = 31;
  while (bits <= kMostSumBits && most >= std::ldexp(1, static_cast<int>(bits))) {
    ++bits;
  }
  return bits;
}

} // namespace convoy::quantize
