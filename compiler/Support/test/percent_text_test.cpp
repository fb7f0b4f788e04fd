// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the decimals of percentages and shares of nothing.

#include "Support/PercentText.h"
#include <gtest/gtest.h>

using namespace convoy;

namespace {

TEST(PercentTextTest, TheNameSelectsTheDecimals) {
  EXPECT_EQ(percentText(0.12345), "12.3 %");
  EXPECT_EQ(percentText(1), "100.0 %");
  EXPECT_EQ(finePercentText(0.8719), "87.19 %");
  EXPECT_EQ(finePercentText(-0.005), "-0.50 %");
}

TEST(PercentTextTest, AShortTextHasADecimalBelowTenPercent) {
  EXPECT_EQ(shortPercentText(0.0034), "0.3 %");
  EXPECT_EQ(shortPercentText(0.0994), "9.9 %");
  EXPECT_EQ(shortPercentText(0.0996), "10 %");
  EXPECT_EQ(shortPercentText(0.123), "12 %");
}

TEST(PercentTextTest, APartOfAWhole) {
  EXPECT_EQ(percentText(3, 8), "37.5 %");
  // The division comes last: 23 / 80 times 100 is below the tie and would give "28.7 %".
  EXPECT_EQ(percentText(23, 80), "28.8 %");
  EXPECT_EQ(shortPercentText(1, 8), "12 %");
}

TEST(PercentTextTest, APartOfNothingIsZero) {
  EXPECT_EQ(percentText(3, 0), "0.0 %");
  EXPECT_EQ(finePercentText(3, 0), "0.00 %");
  EXPECT_EQ(shortPercentText(3, -1), "0.0 %");
}

} // namespace
