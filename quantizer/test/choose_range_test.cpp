// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the choice of ranges on histograms with outliers.

#include "quantizer/observe/TensorObserver.h"
#include "quantizer/test/MemoryDataset.h"
#include <gtest/gtest.h>

using namespace convoy;
using namespace convoy::quantizer;

namespace {

TensorStatistics statisticsOf(const std::vector<float> &values) {
  TensorObserver observer;
  observer.add({values.data(), {static_cast<int64_t>(values.size())}});
  return observer.statistics();
}

/// Values between -1 and 1 with a few large ones.
TensorStatistics withOutliers(float low, float high) {
  std::vector<float> values = test::randomFloats(1000000, 1);
  values[0] = low;
  values[1] = high;
  return statisticsOf(values);
}

TEST(ChooseRange, MinMaxContainsZero) {
  plan::TensorRange range = chooseRange(statisticsOf({2, 3}), Clipping::MinMax, ElementType::U8);
  EXPECT_EQ(range.low, 0);
  EXPECT_EQ(range.high, 3);
  range = chooseRange(statisticsOf({-5, -3}), Clipping::MinMax, ElementType::I8);
  EXPECT_EQ(range.low, -5);
  EXPECT_EQ(range.high, 0);
}

TEST(ChooseRange, PercentileLeavesOutTheTails) {
  plan::TensorRange range =
      chooseRange(withOutliers(-40, 60), Clipping::Percentile, ElementType::U8);
  EXPECT_NEAR(range.low, -1, 0.05);
  EXPECT_NEAR(range.high, 1, 0.05);
  // Without tails the percentile is the range.
  std::vector<float> values(1000, 2.0F);
  range = chooseRange(statisticsOf(values), Clipping::Percentile, ElementType::U8);
  EXPECT_EQ(range.low, 0);
  EXPECT_NEAR(range.high, 2, 0.01);
}

TEST(ChooseRange, MseClipsOutliers) {
  for (ElementType type : {ElementType::U8, ElementType::I8}) {
    plan::TensorRange range = chooseRange(withOutliers(-3, 3), Clipping::Mse, type);
    EXPECT_LT(range.high - range.low, 2.5);
    EXPECT_GT(range.high - range.low, 1.8);
  }
}

TEST(ChooseRange, MseSearchesBothEnds) {
  plan::TensorRange range = chooseRange(withOutliers(-1, 3), Clipping::Mse, ElementType::U8);
  EXPECT_LT(range.low, -0.9);
  EXPECT_LT(range.high, 1.5);
  EXPECT_GT(range.high, 0.89);
}

TEST(ChooseRange, SymmetricRangesHaveZeroAtTheCenter) {
  for (Clipping clipping : {Clipping::MinMax, Clipping::Percentile, Clipping::Mse}) {
    plan::TensorRange range = chooseRange(withOutliers(-1, 3), clipping, ElementType::I8, true);
    EXPECT_EQ(range.low, -range.high);
    EXPECT_GT(range.high, 0.89);
  }
}

TEST(ChooseRange, MseKeepsTheRangeOfUniformValues) {
  plan::TensorRange range = chooseRange(withOutliers(-1, 1), Clipping::Mse, ElementType::U8);
  EXPECT_LT(range.low, -0.97);
  EXPECT_GT(range.high, 0.97);
}

TEST(ChooseRange, SixteenBitsKeepOutliers) {
  plan::TensorRange range = chooseRange(withOutliers(-3, 3), Clipping::Mse, ElementType::I16);
  EXPECT_EQ(range.low, -3);
  EXPECT_EQ(range.high, 3);
}

TEST(ChooseRange, ValuesWithoutSpread) {
  for (Clipping clipping : {Clipping::MinMax, Clipping::Percentile, Clipping::Mse}) {
    plan::TensorRange range = chooseRange(statisticsOf({0, 0}), clipping, ElementType::U8);
    EXPECT_EQ(range.low, 0);
    EXPECT_EQ(range.high, 0);
    range = chooseRange(TensorStatistics(), clipping, ElementType::U8);
    EXPECT_EQ(range.high, 0);
    range = chooseRange(withOutliers(-2, 7), clipping, ElementType::F32);
    EXPECT_EQ(range.high, 7);
  }
}

} // namespace
