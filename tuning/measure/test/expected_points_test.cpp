// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the selection of the elements to compare.

#include "tuning/measure/ExpectedPoints.h"
#include "llvm/ADT/STLExtras.h"
#include <gtest/gtest.h>

namespace convoy::tuning {
namespace {

TEST(ExpectedPointsTest, AllEdgesAndNothingElseWithoutRandomOnes) {
  // Shape 1 x 4 x 5 x 6: the batch dimension has no edges, and 2 x 3 x 4 elements are inside.
  std::vector<int64_t> points = pointsToCheck({1, 4, 5, 6}, 1, 0);
  EXPECT_EQ(points.size(), 120u - 24u);
  EXPECT_TRUE(llvm::is_contained(points, 0));
  EXPECT_TRUE(llvm::is_contained(points, 119));
  // Channel 1, row 2, column 3.
  EXPECT_FALSE(llvm::is_contained(points, 1 * 30 + 2 * 6 + 3));
}

TEST(ExpectedPointsTest, AllElementsOfASmallResult) {
  EXPECT_EQ(pointsToCheck({1, 8, 32, 32}, 1).size(), 8u * 32 * 32);
}

TEST(ExpectedPointsTest, RandomOnesFollowFromTheSeed) {
  std::vector<int64_t> first = pointsToCheck({1, 64, 56, 56}, 7);
  EXPECT_EQ(first, pointsToCheck({1, 64, 56, 56}, 7));
  EXPECT_NE(first, pointsToCheck({1, 64, 56, 56}, 8));
  size_t edges = pointsToCheck({1, 64, 56, 56}, 7, 0).size();
  EXPECT_GT(first.size(), edges + 3000); // Some random points are edges or duplicates.
  EXPECT_TRUE(std::is_sorted(first.begin(), first.end()));
}

} // namespace
} // namespace convoy::tuning
