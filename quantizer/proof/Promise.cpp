// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tango's interval: T. Tango, "Equivalence test and confidence interval for the difference in
// proportions for the paired-sample design", Statistics in Medicine 17 (1998), 891-908. The bounds
// are solved by bisection, which needs no starting value and cannot diverge. ExactBound.cpp
// contains the bound for few differing answers.

#include "quantizer/proof/Promise.h"
#include "quantizer/proof/Distributions.h"
#include "quantizer/proof/PairedScore.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace convoy::quantizer {
namespace {

/// Below this number of differing answers the score statistic is not close to normal.
constexpr int64_t kFewDifferences = 10;
constexpr double kPower = 0.8;

/// Returns the maximum likelihood estimate of P(gained) if P(lost) = P(gained) + drop. It is the
/// larger root of 2n q^2 + B q + C = 0.
double gainedShare(const PairedCounts &counts, double drop) {
  auto n = static_cast<double>(counts.samples);
  auto b = static_cast<double>(counts.lost), c = static_cast<double>(counts.gained);
  double B = -b - c + (2 * n - b + c) * drop;
  double C = -c * drop * (1 - drop);
  double root = std::sqrt(std::max(B * B - 8 * n * C, 0.0));
  // The second form of the root avoids the difference of two close numbers.
  double share = B <= 0 ? (root - B) / (4 * n) : -2 * C / (B + root);
  return std::clamp(share, std::max(0.0, -drop), (1 - drop) / 2);
}

} // namespace

double pairedScore(const PairedCounts &counts, double drop) {
  auto n = static_cast<double>(counts.samples);
  double difference = static_cast<double>(counts.lost - counts.gained) - n * drop;
  double variance = n * (2 * gainedShare(counts, drop) + drop * (1 - drop));
  if (variance > 0) {
    return difference / std::sqrt(variance);
  }
  // Without variance only one difference is possible.
  return difference == 0 ? 0 : std::copysign(std::numeric_limits<double>::infinity(), difference);
}

double scoreBound(const PairedCounts &counts, double alpha) {
  double lowest = -normalQuantile(alpha);
  return bisect(counts.drop(), 1, [&](double drop) { return pairedScore(counts, drop) >= lowest; });
}

double dropBound(const PairedCounts &counts, double alpha) {
  if (counts.samples <= 0) {
    return 1;
  }
  double bound = scoreBound(counts, alpha);
  return counts.lost + counts.gained < kFewDifferences ? std::max(bound, exactBound(counts, alpha))
                                                       : bound;
}

int64_t samplesFor(const PairedCounts &counts, double limit, double alpha) {
  double drop = counts.drop();
  if (counts.samples <= 0 || drop >= limit) {
    return 0;
  }
  double differing = static_cast<double>(counts.lost + counts.gained) / counts.samples;
  double quantiles = normalQuantile(alpha) + normalQuantile(1 - kPower);
  double needed = quantiles * quantiles * (differing - drop * drop) / std::pow(limit - drop, 2);
  // Even if no answer differs, the limit needs so many samples.
  double fewest = limit > 0 && limit < 1 ? std::log(alpha) / std::log1p(-limit) : 1;
  // Beyond this number the data cannot exist, and the conversion would overflow.
  constexpr double kMost = 1e15;
  return static_cast<int64_t>(std::min(std::ceil(std::max(needed, fewest)), kMost));
}

double shareBound(int64_t successes, int64_t samples, double alpha) {
  if (samples <= 0 || successes >= samples) {
    return 1;
  }
  return bisect(0, 1,
                [&](double share) { return binomialTail(successes, samples, share) >= alpha; });
}

} // namespace convoy::quantizer
