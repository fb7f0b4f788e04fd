// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the statistics of tensors: they depend on the values and not on their order or division.

#include "quantizer/observe/TensorObserver.h"
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <random>

using namespace convoy;
using namespace convoy::quantizer;

namespace {

std::vector<float> randomValues(size_t count, float scale, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<float> values(count);
  for (float &value : values) {
    value = (static_cast<float>(random() >> 40) * 0x1p-23F - 1) * scale; // -1 to 1
  }
  return values;
}

ProbeValue vectorOf(const std::vector<float> &values) {
  return {values.data(), {static_cast<int64_t>(values.size())}};
}

int64_t sumOf(const std::vector<int64_t> &counts) {
  return std::accumulate(counts.begin(), counts.end(), int64_t(0));
}

TEST(GrowingHistogram, CountsEachValueInItsBin) {
  std::vector<float> values = randomValues(5000, 3, 1);
  GrowingHistogram histogram;
  histogram.include(-3, 3);
  histogram.add(values.data(), static_cast<int64_t>(values.size()));
  double width = (histogram.high() - histogram.low()) / GrowingHistogram::kBins;
  std::vector<int64_t> expected(GrowingHistogram::kBins);
  for (float value : values) {
    ++expected[static_cast<size_t>(std::floor((value - histogram.low()) / width))];
  }
  EXPECT_EQ(histogram.counts(), expected);
  EXPECT_LE(histogram.low(), -3);
  EXPECT_GT(histogram.high(), 3);
}

TEST(GrowingHistogram, UsesAtLeastAQuarterOfItsBins) {
  for (float high : {1e-30F, 0.7F, 1.0F, 2047.0F, 2048.0F, 3e38F}) {
    for (float low : {0.0F, -high}) {
      GrowingHistogram histogram;
      histogram.include(low, high);
      double share = (static_cast<double>(high) - low) / (histogram.high() - histogram.low());
      EXPECT_GE(share, 0.25) << low << " to " << high;
      EXPECT_LE(share, 1) << low << " to " << high;
    }
  }
}

TEST(GrowingHistogram, GrowthKeepsAllCounts) {
  std::vector<float> small = randomValues(1000, 0.01F, 2), large = randomValues(1000, 50, 3);
  GrowingHistogram grown, direct;
  grown.include(-0.01F, 0.01F);
  grown.add(small.data(), 1000);
  grown.include(-50, 50);
  grown.add(large.data(), 1000);
  direct.include(-50, 50);
  direct.add(large.data(), 1000);
  direct.add(small.data(), 1000);
  EXPECT_EQ(grown.counts(), direct.counts());
  EXPECT_EQ(grown.low(), direct.low());
  EXPECT_EQ(sumOf(grown.counts()), 2000);
}

TEST(GrowingHistogram, MergeDoesNotDependOnTheOrder) {
  GrowingHistogram parts[2], sums[2];
  std::vector<float> small = randomValues(999, 0.3F, 4), large = randomValues(777, 11, 5);
  parts[0].include(-0.3F, 0.3F);
  parts[0].add(small.data(), 999);
  parts[1].include(-11, 11);
  parts[1].add(large.data(), 777);
  sums[0].merge(parts[0]);
  sums[0].merge(parts[1]);
  sums[1].merge(parts[1]);
  sums[1].merge(parts[0]);
  sums[1].merge(GrowingHistogram());
  EXPECT_EQ(sums[0].counts(), sums[1].counts());
  EXPECT_EQ(sums[0].low(), sums[1].low());
  EXPECT_EQ(sums[0].high(), sums[1].high());
}

TEST(TensorObserver, RangeIsNotExtendedToZero) {
  std::vector<float> values{2, 3, 5};
  TensorObserver observer;
  observer.add(vectorOf(values));
  TensorStatistics statistics = observer.statistics();
  EXPECT_EQ(statistics.range.low, 2);
  EXPECT_EQ(statistics.range.high, 5);
  EXPECT_EQ(statistics.count, 3);
  EXPECT_EQ(statistics.histogramLow, 0);
  EXPECT_TRUE(statistics.channelMeans.empty());
}

TEST(TensorObserver, MeansAndVariancesOfChannels) {
  // Two images of two channels with three elements.
  std::vector<float> values{1, 2, 3, 10, 10, 10, 4, 5, 6, 10, 10, 10};
  TensorObserver observer;
  observer.add({values.data(), {2, 2, 3}});
  TensorStatistics statistics = observer.statistics();
  ASSERT_EQ(statistics.channelMeans.size(), 2u);
  EXPECT_DOUBLE_EQ(statistics.channelMeans[0], 3.5);
  EXPECT_DOUBLE_EQ(statistics.channelMeans[1], 10);
  EXPECT_NEAR(statistics.channelVariances[0], 35.0 / 12, 1e-12);
  EXPECT_EQ(statistics.channelVariances[1], 0);
}

TEST(TensorObserver, LongChannelsAreExactEnough) {
  std::vector<float> values = randomValues(2 * 30011, 4, 6);
  TensorObserver observer;
  observer.add({values.data(), {1, 2, 30011}});
  TensorStatistics statistics = observer.statistics();
  for (int64_t channel = 0; channel < 2; ++channel) {
    double sum = 0;
    for (int64_t i = 0; i < 30011; ++i) {
      sum += values[channel * 30011 + i];
    }
    EXPECT_NEAR(statistics.channelMeans[channel], sum / 30011, 1e-6);
    EXPECT_NEAR(statistics.channelVariances[channel], 16.0 / 3, 0.1);
  }
}

TEST(TensorObserver, MergedObserversEqualOneObserver) {
  std::vector<float> values = randomValues(6000, 2, 7);
  TensorObserver all, parts[2];
  for (int64_t sample = 0; sample < 6; ++sample) {
    ProbeValue value{values.data() + sample * 1000, {1, 4, 250}};
    all.add(value);
    parts[sample % 2].add(value);
  }
  parts[0].merge(parts[1]);
  TensorStatistics one = all.statistics(), merged = parts[0].statistics();
  EXPECT_EQ(one.histogram, merged.histogram);
  EXPECT_EQ(one.range.low, merged.range.low);
  EXPECT_EQ(one.range.high, merged.range.high);
  EXPECT_EQ(one.count, merged.count);
  for (int64_t channel = 0; channel < 4; ++channel) {
    EXPECT_NEAR(one.channelMeans[channel], merged.channelMeans[channel], 1e-12);
  }
}

TEST(TensorObserver, MergeWithAnEmptyObserver) {
  std::vector<float> values{-1, 1};
  TensorObserver empty, full;
  full.add({values.data(), {1, 2}});
  empty.merge(full);
  EXPECT_EQ(empty.statistics().range.low, -1);
  EXPECT_EQ(empty.statistics().channelMeans, std::vector<double>({-1, 1}));
  full.merge(TensorObserver());
  EXPECT_EQ(full.statistics().count, 2);
}

TEST(TensorObserver, NonFiniteElementsAreCountedAndLeftOut) {
  float infinity = std::numeric_limits<float>::infinity();
  std::vector<float> values(40, 1.5F);
  values[0] = std::nanf("");
  values[17] = infinity;
  values[39] = -infinity;
  TensorObserver observer;
  observer.add(vectorOf(values));
  TensorStatistics statistics = observer.statistics();
  EXPECT_EQ(statistics.nonFinite, 3);
  EXPECT_EQ(statistics.count, 37);
  EXPECT_EQ(statistics.range.low, 1.5);
  EXPECT_EQ(statistics.range.high, 1.5);
  EXPECT_EQ(sumOf(statistics.histogram), 37);
}

TEST(TensorObserver, ZerosAndNothing) {
  std::vector<float> zeros(100);
  TensorObserver observer;
  EXPECT_EQ(observer.statistics().histogram.size(), 2048u);
  observer.add({zeros.data(), {0, 3}});
  EXPECT_EQ(observer.statistics().count, 0);
  observer.add(vectorOf(zeros));
  EXPECT_EQ(observer.statistics().range.high, 0);
  EXPECT_EQ(sumOf(observer.statistics().histogram), 100);
}

} // namespace
