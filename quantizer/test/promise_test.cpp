// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the bounds against published values, against an independent computation, and on simulated
// proofs.

#include "quantizer/proof/Distributions.h"
#include "quantizer/proof/PairedScore.h"
#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace convoy::quantizer;

namespace {

/// Returns the log-likelihood of the counts apart from constants.
double logLikelihood(const PairedCounts &counts, double drop, double gained) {
  auto term = [](int64_t count, double share) {
    return count == 0 ? 0 : static_cast<double>(count) * std::log(std::max(share, 1e-300));
  };
  return term(counts.lost, gained + drop) + term(counts.gained, gained) +
         term(counts.samples - counts.lost - counts.gained, 1 - 2 * gained - drop);
}

/// Computes the bound without the closed form of the estimate: maximizes the likelihood by ternary
/// search, and scans the drops.
double scannedBound(const PairedCounts &counts, double z) {
  constexpr int kSteps = 20000;
  double bound = counts.drop();
  for (int step = 1; step < kSteps; ++step) {
    double drop = counts.drop() + (1 - counts.drop()) * step / kSteps;
    double low = std::max(0.0, -drop), high = (1 - drop) / 2;
    for (int i = 0; i < 100; ++i) {
      double left = low + (high - low) / 3, right = high - (high - low) / 3;
      bool isLeft = logLikelihood(counts, drop, left) < logLikelihood(counts, drop, right);
      (isLeft ? low : high) = isLeft ? left : right;
    }
    auto n = static_cast<double>(counts.samples);
    double variance = n * (2 * low + drop * (1 - drop));
    if (static_cast<double>(counts.lost - counts.gained) - n * drop < -z * std::sqrt(variance)) {
      break;
    }
    bound = drop;
  }
  return bound;
}

TEST(Distributions, QuantilesOfTheNormalDistribution) {
  EXPECT_NEAR(normalQuantile(0.05), 1.6448536269514722, 1e-12);
  EXPECT_NEAR(normalQuantile(0.025), 1.959963984540054, 1e-12);
  EXPECT_NEAR(normalQuantile(0.2), 0.8416212335729143, 1e-12);
  EXPECT_NEAR(normalQuantile(0.5), 0, 1e-12);
  EXPECT_NEAR(normalQuantile(0.95), -1.6448536269514722, 1e-12);
  EXPECT_NEAR(normalQuantile(1e-6), 4.753424308822899, 1e-9);
}

TEST(Distributions, IncompleteBetaHasClosedForms) {
  EXPECT_EQ(incompleteBeta(2, 3, 0), 0);
  EXPECT_EQ(incompleteBeta(2, 3, 1), 1);
  EXPECT_NEAR(incompleteBeta(1, 1, 0.3), 0.3, 1e-14);
  EXPECT_NEAR(incompleteBeta(2, 1, 0.3), 0.09, 1e-14);
  EXPECT_NEAR(incompleteBeta(2, 2, 0.3), 0.3 * 0.3 * (3 - 0.6), 1e-14);
  EXPECT_NEAR(incompleteBeta(3, 5, 0.7) + incompleteBeta(5, 3, 0.3), 1, 1e-14);
}

TEST(Distributions, BinomialTailIsTheSumOfItsTerms) {
  for (double share : {0.01, 0.2, 0.5, 0.93}) {
    double sum = 0, term = std::pow(1 - share, 40);
    for (int64_t k = 0; k < 40; ++k) {
      sum += term;
      EXPECT_NEAR(binomialTail(k, 40, share), sum, 1e-11) << k << " at " << share;
      term *= static_cast<double>(40 - k) / static_cast<double>(k + 1) * share / (1 - share);
    }
  }
  EXPECT_EQ(binomialTail(40, 40, 0.5), 1);
  EXPECT_EQ(binomialTail(-1, 40, 0.5), 0);
  EXPECT_NEAR(binomialTail(0, 1000000, 1e-6), std::exp(-1), 1e-6);
}

TEST(Promise, ScoreBoundMatchesPublishedIntervals) {
  // Airway hyper-responsiveness before and after transplantation (Fagerland, Lydersen and Laake
  // 2014): n = 21, b = 1, c = 7, 95 % interval -0.517 to -0.026.
  EXPECT_NEAR(scoreBound({21, 1, 7}, 0.025), -0.026, 0.0005);
  EXPECT_NEAR(-scoreBound({21, 7, 1}, 0.025), -0.517, 0.0005);
  // R's PropCIs::scoreci.mp(25, 28, 618, 0.90): -0.0148 to 0.0247.
  EXPECT_NEAR(scoreBound({618, 28, 25}, 0.05), 0.0247, 0.00005);
  EXPECT_NEAR(-scoreBound({618, 25, 28}, 0.05), -0.0148, 0.00005);
}

TEST(Promise, ScoreBoundMatchesAnIndependentComputation) {
  double z = normalQuantile(0.05);
  for (PairedCounts counts : {PairedCounts{100, 0, 0},
                              {100, 7, 2},
                              {100, 2, 7},
                              {44, 0, 1},
                              {44, 1, 0},
                              {50, 50, 0},
                              {50, 0, 50},
                              {200, 60, 55},
                              {10, 3, 7}}) {
    double step = (1 - counts.drop()) / 20000;
    EXPECT_NEAR(scoreBound(counts, 0.05), scannedBound(counts, z), 2 * step)
        << counts.samples << " " << counts.lost << " " << counts.gained;
  }
}

TEST(Promise, NoDifferenceHasAClosedForm) {
  double squared = std::pow(normalQuantile(0.05), 2);
  EXPECT_NEAR(scoreBound({1000, 0, 0}, 0.05), squared / (1000 + squared), 1e-12);
  // The exact bound is at least the rule of three.
  EXPECT_GE(dropBound({1000, 0, 0}, 0.05), 1 - std::pow(0.05, 1.0 / 1000));
  EXPECT_LE(dropBound({1000, 0, 0}, 0.05), 1.01 * (1 - std::pow(0.05, 1.0 / 1000)));
}

TEST(Promise, BoundOfResNet8OnCifar) {
  // b - c = 27 of 10,000 with 2.1 % differing answers: a bound of 0.51 %.
  EXPECT_NEAR(dropBound({10000, 118, 91}, 0.05), 0.0051, 0.00005);
}

TEST(Promise, ExtremeCounts) {
  EXPECT_EQ(dropBound({0, 0, 0}, 0.05), 1);
  EXPECT_EQ(dropBound({100, 100, 0}, 0.05), 1);
  EXPECT_LT(dropBound({100, 0, 100}, 0.05), -0.9);
  EXPECT_EQ(dropBound({1, 1, 0}, 0.05), 1);
  double single = dropBound({1, 0, 0}, 0.05);
  EXPECT_GE(single, 0.94);
  EXPECT_LE(single, 1);
  EXPECT_LT(dropBound({100000000, 3, 2}, 0.05), 1e-7);
}

TEST(Promise, BoundIsAboveTheObservedDrop) {
  for (int64_t lost = 0; lost <= 30; lost += 3) {
    for (int64_t gained = 0; gained <= 30; gained += 3) {
      PairedCounts counts{60, lost, gained};
      if (lost + gained <= 60) {
        EXPECT_GE(dropBound(counts, 0.05), counts.drop());
        EXPECT_GT(dropBound(counts, 0.01), dropBound(counts, 0.05) - 1e-9);
      }
    }
  }
}

TEST(Promise, BoundIsMonotonic) {
  for (int64_t gained : {0, 3, 40}) {
    for (int64_t lost = 0; lost < 40; ++lost) {
      // More lost answers raise the bound; more gained answers lower it.
      EXPECT_LT(scoreBound({2000, lost, gained}, 0.05), scoreBound({2000, lost + 1, gained}, 0.05));
      EXPECT_GT(scoreBound({2000, lost, gained}, 0.05), scoreBound({2000, lost, gained + 1}, 0.05));
    }
  }
  // Ten times as many samples with the same shares lower the bound.
  EXPECT_GT(dropBound({500, 6, 4}, 0.05), dropBound({5000, 60, 40}, 0.05));
}

TEST(Promise, ScoreDecreasesWithTheDrop) {
  for (PairedCounts counts : {PairedCounts{300, 0, 0}, {300, 4, 9}, {300, 120, 20}}) {
    double before = pairedScore(counts, -0.999);
    for (int step = -998; step < 1000; ++step) {
      double score = pairedScore(counts, step / 1000.0);
      EXPECT_LT(score, before) << step;
      before = score;
    }
  }
}

/// Returns the share of simulated proofs whose bound is below the true drop.
double missesOf(int64_t samples, double lost, double gained) {
  constexpr int kProofs = 4000;
  std::mt19937_64 random(7);
  std::map<std::pair<int64_t, int64_t>, double> bounds;
  int misses = 0;
  for (int proof = 0; proof < kProofs; ++proof) {
    PairedCounts counts{samples, 0, 0};
    for (int64_t i = 0; i < samples; ++i) {
      double draw = static_cast<double>(random() >> 11) * 0x1p-53;
      counts.lost += draw < lost;
      counts.gained += draw >= lost && draw < lost + gained;
    }
    auto [bound, isNew] = bounds.try_emplace({counts.lost, counts.gained}, 0);
    if (isNew) {
      bound->second = dropBound(counts, 0.05);
    }
    misses += bound->second < lost - gained;
  }
  return static_cast<double>(misses) / kProofs;
}

TEST(Promise, BoundMissesTheTruthAsOftenAsAlphaSays) {
  for (auto [samples, lost, gained] : {std::tuple{500, 0.012, 0.01},
                                       {500, 0.03, 0.02},
                                       {2000, 0.012, 0.009},
                                       {5000, 0.005, 0.004}}) {
    double misses = missesOf(samples, lost, gained);
    EXPECT_GE(misses, 0.025) << samples << " " << lost;
    EXPECT_LE(misses, 0.06) << samples << " " << lost;
  }
  // With few differing answers the exact bound holds the error too.
  EXPECT_LE(missesOf(300, 0.006, 0.002), 0.055);
  EXPECT_LE(missesOf(300, 0.010, 0), 0.055);
}

/// Returns the probability, summed over all outcomes, that the bound is below the true drop.
double exactMisses(int64_t samples, double lost, double gained) {
  double sum = 0;
  for (int64_t b = 0; b <= samples; ++b) {
    for (int64_t c = 0; b + c <= samples && c < 10 - b; ++c) {
      if (exactBound({samples, b, c}, 0.05) < lost - gained) {
        auto n = static_cast<double>(samples);
        auto x = static_cast<double>(b), y = static_cast<double>(c);
        sum += std::exp(std::lgamma(n + 1) - std::lgamma(x + 1) - std::lgamma(y + 1) -
                        std::lgamma(n - x - y + 1) + x * std::log(lost) + y * std::log(gained) +
                        (n - x - y) * std::log1p(-lost - gained));
      }
    }
  }
  return sum;
}

TEST(Promise, ExactBoundHoldsItsErrorForEveryNuisance) {
  for (double drop : {0.0, 0.01, 0.04}) {
    for (double gained : {1e-6, 0.005, 0.01, 0.02}) {
      EXPECT_LE(exactMisses(60, gained + drop + 1e-6, gained), 0.05) << drop << " " << gained;
    }
  }
}

TEST(Promise, FewDifferencesUseTheLargerBound) {
  for (int64_t lost = 0; lost <= 10; ++lost) {
    for (int64_t gained = 0; gained <= 10; ++gained) {
      PairedCounts counts{800, lost, gained};
      double score = scoreBound(counts, 0.05);
      double expected = lost + gained < 10 ? std::max(score, exactBound(counts, 0.05)) : score;
      EXPECT_EQ(dropBound(counts, 0.05), expected);
      // Both bounds agree roughly, so that neither is vacuous.
      EXPECT_NEAR(exactBound(counts, 0.05) * 800, score * 800, 1);
    }
  }
}

TEST(SamplesFor, MatchesTheTableOfThePlanningFormula) {
  EXPECT_EQ(samplesFor({100000, 450, 450}, 0.005, 0.05), 2226);
  EXPECT_EQ(samplesFor({100000, 1050, 1050}, 0.005, 0.05), 5194);
  EXPECT_EQ(samplesFor({100000, 2500, 2500}, 0.01, 0.05), 3092);
  // A drop of 0.25 % with 2.1 % differing answers.
  EXPECT_NEAR(samplesFor({100000, 1175, 925}, 0.005, 0.05), 20769, 10);
}

TEST(SamplesFor, ADropAtTheLimitCannotBeProved) {
  EXPECT_EQ(samplesFor({1000, 10, 5}, 0.005, 0.05), 0);
  EXPECT_EQ(samplesFor({1000, 10, 4}, 0.005, 0.05), 0);
  EXPECT_GT(samplesFor({1000, 8, 4}, 0.005, 0.05), 0);
  EXPECT_EQ(samplesFor({0, 0, 0}, 0.005, 0.05), 0);
  EXPECT_EQ(samplesFor({1000, 0, 0}, 0, 0.05), 0);
}

TEST(SamplesFor, NoDifferenceStillNeedsSamples) {
  int64_t samples = samplesFor({50, 0, 0}, 0.005, 0.05);
  EXPECT_EQ(samples, 598);
  EXPECT_NEAR(dropBound({samples, 0, 0}, 0.05), 0.005, 0.0001);
}

TEST(SamplesFor, MoreConfidenceNeedsMoreSamples) {
  EXPECT_GT(samplesFor({1000, 10, 9}, 0.01, 0.025), samplesFor({1000, 10, 9}, 0.01, 0.05));
  EXPECT_EQ(samplesFor({100, 50, 49}, 0.01 + 1e-12, 0.05), int64_t(1e15));
}

TEST(ShareBound, MatchesClopperAndPearson) {
  // The tail of the bound is alpha.
  for (auto [successes, samples] : {std::pair{0, 20}, {1, 20}, {7, 30}, {19, 20}, {3, 10000}}) {
    double bound = shareBound(successes, samples, 0.05);
    EXPECT_NEAR(binomialTail(successes, samples, bound), 0.05, 1e-9);
    EXPECT_GT(bound, static_cast<double>(successes) / samples);
  }
  EXPECT_NEAR(shareBound(0, 100, 0.05), 1 - std::pow(0.05, 0.01), 1e-12);
  // Clopper and Pearson 1934: 10 of 20 has the 95 % interval 0.272 to 0.728.
  EXPECT_NEAR(shareBound(10, 20, 0.025), 0.728, 0.0005);
  EXPECT_EQ(shareBound(20, 20, 0.05), 1);
  EXPECT_EQ(shareBound(0, 0, 0.05), 1);
}

} // namespace
