// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests median, ratio and interval on numbers with known results.

#include "timing/Statistics.h"
#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace convoy::timing;

namespace {

TEST(Statistics, MedianIsTheMiddle) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(median({7}), 7);
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median({1, 1e9, 1, 1, 1e9}), 1);
}

TEST(Statistics, SpreadLeavesOutTheTails) {
  EXPECT_EQ(spread({}), 0);
  EXPECT_EQ(spread({2, 2, 2}), 0);
  EXPECT_EQ(spread({9, 11, 10}), 0.2);
  // Drops one of ten samples at each end.
  EXPECT_EQ(spread({1000, 10, 10, 10, 10, 10, 10, 10, 12, 0.1}), 0.2);
}

TEST(Statistics, GeometricMean) {
  EXPECT_EQ(geometricMean({}), 0);
  EXPECT_DOUBLE_EQ(geometricMean({0.5, 2, 8}), 2);
}

TEST(Statistics, RatioOfEqualSamplesIsCertain) {
  Estimate ratio = ratioOfMedians({6, 6, 6, 6}, {3, 3, 3, 3});
  EXPECT_EQ(ratio.value, 2);
  EXPECT_EQ(ratio.low, 2);
  EXPECT_EQ(ratio.high, 2);
  EXPECT_EQ(ratioOfMedians({}, {}).value, 0);
}

TEST(Statistics, NoiseThatBothSufferCancels) {
  // The machine becomes ten times slower during the run; A always takes half as long as B.
  std::vector<double> a, b;
  for (int i = 0; i < 31; ++i) {
    b.push_back(std::pow(10, i / 30.0));
    a.push_back(b.back() / 2);
  }
  Estimate ratio = ratioOfMedians(a, b);
  EXPECT_DOUBLE_EQ(ratio.value, 0.5);
  EXPECT_DOUBLE_EQ(ratio.low, 0.5);
  EXPECT_DOUBLE_EQ(ratio.high, 0.5);
}

TEST(Statistics, IntervalOfTwoOutcomes) {
  // The median of 5 draws from {1 x 3, 2 x 2} is 2 with probability 0.317, so both outcomes are
  // within the 95 % interval. With 4 of 5 equal, the other outcome has probability 0.058 and is
  // also within. With 19 of 20 equal, its probability is almost 0.
  auto interval = [](int ones, int twos) {
    std::vector<double> a(ones, 1.0), b(ones + twos, 1.0);
    a.insert(a.end(), twos, 2.0);
    return ratioOfMedians(a, b);
  };
  EXPECT_EQ(interval(3, 2).low, 1);
  EXPECT_EQ(interval(3, 2).high, 2);
  EXPECT_EQ(interval(4, 1).high, 2);
  EXPECT_EQ(interval(19, 1).high, 1);
}

TEST(Statistics, SameSamplesGiveTheSameInterval) {
  std::vector<double> a{5, 6, 7, 8, 5.5, 6.5}, b{3, 4, 3.5, 3.2, 3.9, 3.1};
  Estimate one = ratioOfMedians(a, b), two = ratioOfMedians(a, b);
  EXPECT_EQ(one.low, two.low);
  EXPECT_EQ(one.high, two.high);
  EXPECT_LT(one.low, one.value);
  EXPECT_GT(one.high, one.value);
}

TEST(Statistics, IntervalCoversTheTruthAboutAsOftenAsItSays) {
  std::mt19937_64 random(7);
  auto noise = [&] { // 1 to 1.3, and rarely much more, like real machines
    double u = static_cast<double>(random() >> 11) * 0x1p-53;
    return 1 + 0.3 * u + (u > 0.95 ? 1 : 0);
  };
  constexpr int kExperiments = 200;
  int covered = 0;
  for (int i = 0; i < kExperiments; ++i) {
    std::vector<double> a, b;
    for (int k = 0; k < 30; ++k) {
      a.push_back(0.8 * noise());
      b.push_back(noise());
    }
    Estimate ratio = ratioOfMedians(a, b);
    covered += ratio.low <= 0.8 && 0.8 <= ratio.high;
  }
  EXPECT_GT(covered, kExperiments * 90 / 100);
  EXPECT_LT(covered, kExperiments);
}

TEST(Statistics, PercentilesAreMeasuredValues) {
  EXPECT_EQ(percentiles({}).count, 0u);
  EXPECT_EQ(percentiles({}).p99, 0);
  Percentiles one = percentiles({4});
  EXPECT_EQ(one.min, 4);
  EXPECT_EQ(one.p50, 4);
  EXPECT_EQ(one.p99, 4);
  std::vector<double> values;
  for (int i = 200; i > 0; --i) {
    values.push_back(i);
  }
  Percentiles many = percentiles(values);
  EXPECT_EQ(many.count, 200u);
  EXPECT_EQ(many.min, 1);
  EXPECT_EQ(many.mean, 100.5);
  EXPECT_EQ(many.p50, 100);
  EXPECT_EQ(many.p90, 180);
  EXPECT_EQ(many.p95, 190);
  EXPECT_EQ(many.p99, 198);
  EXPECT_EQ(many.max, 200);
}

TEST(Statistics, SeparateSamplesAreNotPaired) {
  // The noise of paired samples cancels; the noise of separate samples does not.
  std::vector<double> a, b;
  for (int i = 0; i < 31; ++i) {
    b.push_back(10 + i);
    a.push_back(b.back() / 2);
  }
  Estimate paired = ratioOfMedians(a, b), separate = ratioOfSeparateMedians(a, b);
  EXPECT_DOUBLE_EQ(separate.value, 0.5);
  EXPECT_DOUBLE_EQ(paired.low, 0.5);
  EXPECT_LT(separate.low, 0.45);
  EXPECT_GT(separate.high, 0.55);
  EXPECT_EQ(ratioOfSeparateMedians({}, {1}).value, 0);
  EXPECT_EQ(ratioOfSeparateMedians({6, 6}, {3, 3, 3}).high, 2);
}

} // namespace
