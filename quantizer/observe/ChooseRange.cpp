// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the range of an activation from its histogram. plan::setRange converts the range to
// scale and zero point, also for the candidates here, so that the error is the error of the plan.

#include "quantizer/observe/IntegerLimits.h"
#include "quantizer/observe/Observe.h"
#include <algorithm>
#include <cmath>

namespace convoy::quantizer {
namespace {

/// The share of values above the highest and below the lowest value of the percentile.
constexpr double kTail = 0.0001;
/// Candidates for one end of the range, between 30 % and 100 % of the observed end.
constexpr int kCandidates = 64;
constexpr double kLeastFactor = 0.3;
/// Repetitions of the search over one end with the other end fixed.
constexpr int kRounds = 2;

plan::TensorRange withZero(const plan::TensorRange &range) {
  return {std::min(range.low, 0.0), std::max(range.high, 0.0)};
}

double binWidth(const TensorStatistics &statistics) {
  return (statistics.histogramHigh - statistics.histogramLow) /
         static_cast<double>(std::max<size_t>(statistics.histogram.size(), 1));
}

/// Returns the value below which a share of the elements is; values are uniform inside a bin.
double quantile(const TensorStatistics &statistics, double share) {
  double width = binWidth(statistics);
  double wanted = share * static_cast<double>(statistics.count);
  double seen = 0;
  for (size_t i = 0; i < statistics.histogram.size(); ++i) {
    auto inBin = static_cast<double>(statistics.histogram[i]);
    if (inBin > 0 && seen + inBin >= wanted) {
      double part = std::clamp((wanted - seen) / inBin, 0.0, 1.0);
      return statistics.histogramLow + width * (static_cast<double>(i) + part);
    }
    seen += inBin;
  }
  return statistics.range.high;
}

plan::TensorRange percentileRange(const TensorStatistics &statistics) {
  plan::TensorRange range{std::max(quantile(statistics, kTail), statistics.range.low),
                          std::min(quantile(statistics, 1 - kTail), statistics.range.high)};
  return withZero(range);
}

/// Returns the sum of squared errors of the histogram if the activation has the range.
double errorOf(const TensorStatistics &statistics, const plan::TensorRange &range,
               ElementType type) {
  plan::ActivationPlan activation;
  activation.type = type;
  plan::setRange(activation, range);
  IntegerLimits limits = limitsOf(type);
  auto zeroPoint = static_cast<double>(activation.zeroPoint);
  double scale = activation.scale, inverse = 1 / scale;
  double width = binWidth(statistics);
  double sum = 0;
  for (size_t i = 0; i < statistics.histogram.size(); ++i) {
    if (statistics.histogram[i] == 0) {
      continue;
    }
    double value = statistics.histogramLow + width * (static_cast<double>(i) + 0.5);
    double integer =
        std::clamp(std::nearbyint(value * inverse) + zeroPoint, limits.lowest, limits.highest);
    double error = value - (integer - zeroPoint) * scale;
    sum += static_cast<double>(statistics.histogram[i]) * error * error;
  }
  return sum;
}

/// Returns the smallest range around zero that contains the range.
plan::TensorRange symmetricOf(const plan::TensorRange &range) {
  double most = std::max(-range.low, range.high);
  return {-most, most};
}

plan::TensorRange leastError(const TensorStatistics &statistics, const plan::TensorRange &full,
                             ElementType type, bool isSymmetric) {
  plan::TensorRange best = full;
  double least = errorOf(statistics, best, type);
  auto tryRange = [&](const plan::TensorRange &range) {
    double error = errorOf(statistics, range, type);
    if (error < least) {
      least = error;
      best = range;
    }
  };
  auto factorOf = [](int candidate) { return 1 - (1 - kLeastFactor) * candidate / kCandidates; };
  for (int candidate = 1; candidate <= kCandidates; ++candidate) {
    double factor = factorOf(candidate);
    tryRange({full.low * factor, full.high * factor});
  }
  int rounds = isSymmetric || full.low == 0 || full.high == 0 ? 0 : kRounds;
  for (int round = 0; round < rounds; ++round) {
    for (int candidate = 0; candidate <= kCandidates; ++candidate) {
      tryRange({best.low, full.high * factorOf(candidate)});
    }
    for (int candidate = 0; candidate <= kCandidates; ++candidate) {
      tryRange({full.low * factorOf(candidate), best.high});
    }
  }
  return best;
}

} // namespace

plan::TensorRange chooseRange(const TensorStatistics &statistics, Clipping clipping,
                              ElementType type, bool isSymmetric) {
  plan::TensorRange full = withZero(statistics.range);
  full = isSymmetric ? symmetricOf(full) : full;
  bool isQuantized = type == ElementType::U8 || type == ElementType::I8 || type == ElementType::I16;
  if (statistics.count == 0 || full.low == full.high || !isQuantized) {
    return full;
  }
  switch (clipping) {
  case Clipping::MinMax:
    return full;
  case Clipping::Percentile: {
    plan::TensorRange range = percentileRange(statistics);
    return isSymmetric ? symmetricOf(range) : range;
  }
  case Clipping::Mse:
    return leastError(statistics, full, type, isSymmetric);
  }
  return full;
}

} // namespace convoy::quantizer
