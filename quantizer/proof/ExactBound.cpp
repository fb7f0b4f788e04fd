// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The exact unconditional bound of the drop for few differing answers. Promise.cpp uses it if
// b + c < 10.
//
// For a drop, the p-value is the probability of the outcomes (b', c') whose score statistic is at
// most the observed one, maximized over the nuisance parameter q = P(gained). The maximum over all
// q would be useless: with a large q, any drop is possible. Therefore q is limited to a confidence
// set with error gamma, and gamma is added to the p-value (R. Berger and D. Boos, "P values
// maximized over a confidence set for the nuisance parameter", JASA 89 (1994), 1012-1016). The
// result is still a bound with error at most alpha. Because b + c is small, q is too, so the
// outcomes with a noticeable probability are few.

#include "quantizer/proof/Distributions.h"
#include "quantizer/proof/PairedScore.h"
#include <algorithm>
#include <cmath>
#include <vector>

namespace convoy::quantizer {
namespace {

/// The part of alpha for the confidence set of q.
constexpr double kNuisanceShare = 0.02;
/// The outcomes with more differing answers have a smaller probability together, for every q.
constexpr double kNeglected = 1e-9;
/// Values of q on which the maximum is searched. The p-value is smooth in q.
constexpr int kNuisanceSteps = 48;
/// Drops between the score bound and the largest one that are tried, because the p-value is not
/// monotonic in the drop.
constexpr int kDropSteps = 32;
/// Halves the interval of drops to about 1e-9 of its width.
constexpr int kBisectSteps = 25;

/// The probabilities of outcomes with few differing answers.
class Outcomes {
public:
  Outcomes(const PairedCounts &observed, double alpha)
      : observed(observed), gamma(alpha * kNuisanceShare) {
    mostDiffering = shareBound(observed.lost + observed.gained, observed.samples, gamma);
    while (largest < observed.samples &&
           1 - binomialTail(largest, observed.samples, mostDiffering) > kNeglected) {
      ++largest;
    }
    atLeastAsExtreme.resize(largest + 1);
  }

  /// No larger drop agrees with the number of differing answers.
  double mostDrop() const { return mostDiffering; }

  double pValue(double drop) {
    findExtremes(drop);
    double first = std::max(0.0, -drop), last = (mostDiffering - drop) / 2;
    double most = 0;
    for (int step = 0; step <= kNuisanceSteps && last >= first; ++step) {
      most = std::max(most, probability(drop, first + (last - first) * step / kNuisanceSteps));
    }
    return most + gamma + kNeglected;
  }

private:
  /// For each c', finds how many b' = 0, 1, ... have a statistic that is at most the observed one.
  /// The statistic increases with b'.
  void findExtremes(double drop) {
    // Equal outcomes must not be lost by rounding.
    double limit = pairedScore(observed, drop) + 1e-9;
    for (int64_t gained = 0; gained <= largest; ++gained) {
      int64_t lost = gained > 0 ? atLeastAsExtreme[gained - 1] : 0;
      while (lost + gained <= largest &&
             pairedScore({observed.samples, lost, gained}, drop) <= limit) {
        ++lost;
      }
      atLeastAsExtreme[gained] = lost;
    }
  }

  /// Returns the probability of the outcomes that findExtremes found.
  double probability(double drop, double gainedShare) const {
    auto n = static_cast<double>(observed.samples);
    double meanLost = n * (gainedShare + drop), meanGained = n * gainedShare;
    double same = std::max(1 - 2 * gainedShare - drop, 0.0);
    // Multinomial coefficients divided by powers of n, and the powers of `same`.
    std::vector<double> rest(largest + 1);
    double falling = 1;
    for (int64_t differing = 0; differing <= largest; ++differing) {
      rest[differing] = falling * std::pow(same, n - static_cast<double>(differing));
      falling *= (n - static_cast<double>(differing)) / n;
    }
    double sum = 0, gainedTerm = 1;
    for (int64_t gained = 0; gained <= largest; ++gained) {
      double term = gainedTerm;
      int64_t end = std::min(atLeastAsExtreme[gained], largest + 1 - gained);
      for (int64_t lost = 0; lost < end; ++lost) {
        sum += term * rest[lost + gained];
        term *= meanLost / static_cast<double>(lost + 1);
      }
      gainedTerm *= meanGained / static_cast<double>(gained + 1);
    }
    return sum;
  }

  PairedCounts observed;
  double gamma;
  double mostDiffering = 1;
  int64_t largest = 0;
  std::vector<int64_t> atLeastAsExtreme;
};

} // namespace

double exactBound(const PairedCounts &counts, double alpha) {
  Outcomes outcomes(counts, alpha);
  double low = counts.drop(), high = outcomes.mostDrop();
  auto isPossible = [&](double drop) { return outcomes.pValue(drop) > alpha; };
  double width = (high - low) / kDropSteps;
  for (int step = kDropSteps - 1; step > 0; --step) {
    double drop = low + width * step;
    if (isPossible(drop)) {
      return bisect(drop, drop + width, isPossible, kBisectSteps);
    }
  }
  return bisect(low, low + width, isPossible, kBisectSteps);
}

} // namespace convoy::quantizer
