// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the Mann-Whitney test against values from tables and against simulation.

#include "tuning/measure/RankTest.h"
#include <gtest/gtest.h>
#include <random>

namespace convoy::tuning {
namespace {

TEST(RankTest, KnownProbabilities) {
  // All values of one sample are below all values of the other: 2 / (10 over 5) and 2 / (6
  // over 3).
  EXPECT_NEAR(mannWhitney({1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}), 2.0 / 252, 1e-12);
  EXPECT_NEAR(mannWhitney({7, 8, 9}, {1, 2, 3}), 2.0 / 20, 1e-12);
  // U is 1 of 9. Two of the twenty orders have a U of 0 or 1.
  EXPECT_NEAR(mannWhitney({1, 2, 4}, {3, 5, 6}), 4.0 / 20, 1e-12);
  EXPECT_EQ(mannWhitney({1, 4}, {2, 3}), 1);
}

TEST(RankTest, NothingAndEqualsTellNothing) {
  EXPECT_EQ(mannWhitney({}, {1, 2}), 1);
  EXPECT_EQ(mannWhitney({5, 5, 5}, {5, 5}), 1);
}

TEST(RankTest, ManyValuesAreCloseToFew) {
  // With a tie, the approximation is used; without ties, at 20 x 20, the exact distribution.
  std::mt19937 random(3);
  std::vector<double> a, b;
  for (int i = 0; i < 20; ++i) {
    a.push_back(static_cast<double>(random() % 1000000));
    b.push_back(static_cast<double>(random() % 1000000) + 150000);
  }
  double exact = mannWhitney(a, b);
  a.push_back(a[0]);
  double approximate = mannWhitney(a, b);
  EXPECT_GT(exact, 0.0005);
  EXPECT_LT(exact, 0.5);
  EXPECT_NEAR(approximate, exact, 0.1);
}

TEST(RankTest, ChanceIsFoundAsOftenAsPromised) {
  std::mt19937 random(5);
  auto draw = [&](double shift) {
    std::vector<double> values;
    for (int i = 0; i < 12; ++i) {
      values.push_back(static_cast<double>(random() >> 8) / (1 << 24) + shift);
    }
    return values;
  };
  int equal = 0, different = 0;
  for (int i = 0; i < 2000; ++i) {
    equal += mannWhitney(draw(0), draw(0)) < 0.05;
    different += mannWhitney(draw(0), draw(0.6)) < 0.05;
  }
  EXPECT_GT(equal, 50); // 100 on average; slightly less, because U is discrete
  EXPECT_LT(equal, 140);
  EXPECT_GT(different, 1900);
}

} // namespace
} // namespace convoy::tuning
