// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rounds weights for targets whose layers rescale with a shift. For input scale x
// and result scale y, weights of scale y / (x * 2^shift) require no multiplier. The
// pass selects the shift that changes the weights least.

#include "Quantize/IntegerBuilder.h"
#include <cmath>

using namespace mlir;

namespace convoy::quantize {
namespace {

constexpr int kMostShift = 31;
constexpr double kMostBias = 32767; // largest 16-bit integer

/// Returns the real values of the weights.
std::vector<double> realsOf(const QuantizedWeights &weights, const Tensor &ints) {
  std::vector<double> reals;
  int64_t inner = 1;
  for (int64_t d = weights.axis + 1; d < ints.rank(); ++d) {
    inner *= ints.dim(d);
  }
  for (int64_t i = 0; i < ints.size(); ++i) {
    int64_t channel = weights.scales.size() == 1 ? 0 : i / inner % ints.dim(weights.axis);
    reals.push_back(static_cast<double>(ints.asInt(i) - weights.zeroPointOf(channel)) *
                    weights.scaleOf(channel));
  }
  return reals;
}

double rounded(double real, double scale) {
  return std::clamp(std::nearbyint(real / scale), -127.0, 127.0);
}

/// Returns the sum of squared rounding errors.
double changeOf(ArrayRef<double> reals, double scale) {
  double sum = 0;
  for (double real : reals) {
    double change = rounded(real, scale) * scale - real;
    sum += change * change;
  }
  return sum;
}

} // namespace

std::optional<QuantizedWeights> IntegerBuilder::fit(const QuantizedWeights &weights,
                                                    double inputScale, ArrayRef<double> bias,
                                                    std::string &why) {
  if (!arithmetic.shiftsOnly) {
    return weights;
  }
  Tensor ints = *graph::constantValue(weights.value);
  std::vector<double> reals = realsOf(weights, ints);
  double norm = 0;
  for (double real : reals) {
    norm += real * real;
  }
  double largestBias = 0;
  for (double real : bias) {
    largestBias = std::max(largestBias, std::abs(real));
  }
  int best = -1;
  double least = 0;
  for (int shift = 0; shift <= kMostShift; ++shift) {
    double scale = std::ldexp(outScale.scale / inputScale, -shift);
    double change = changeOf(reals, scale);
    bool holdsBias = largestBias <= kMostBias * scale * inputScale;
    // Of shifts with equal error, selects the largest, which gives the bias the
    // most precision.
    if (holdsBias && (best < 0 || change <= least * (1 + 1e-6) + norm * 1e-12)) {
      best = shift;
      least = change;
    }
  }
  if (best < 0) {
    why = "the bias does not fit 16 bits with any shift up to 31";
    return std::nullopt;
  }
  QuantizedWeights result{{}, {std::ldexp(outScale.scale / inputScale, -best)}, {0}, weights.axis};
  Tensor fitted(ElementType::I8, ints.shape());
  for (auto [i, real] : llvm::enumerate(reals)) {
    fitted.setInt(static_cast<int64_t>(i), static_cast<int64_t>(rounded(real, result.scales[0])));
  }
  result.value = b.constant(fitted);
  cost.layers += 1;
  cost.worst = std::max(cost.worst, norm > 0 ? std::sqrt(least / norm) : 0);
  return result;
}

} // namespace convoy::quantize
