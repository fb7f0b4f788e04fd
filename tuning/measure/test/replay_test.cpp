// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests measurements from a table.

#include "tuning/measure/ReplayMeasurer.h"
#include <gtest/gtest.h>

namespace convoy::tuning {
namespace {

TEST(ReplayMeasurerTest, GivesWhatTheTableHolds) {
  ReplayMeasurer measurer;
  Measurement known;
  known.samples = {{10, 500, 490, true}};
  measurer.add("a", known);
  RunnableCandidate a, b;
  a.id = "a";
  b.id = "b";
  std::vector<Measurement> found = llvm::cantFail(measurer.measure({a, a}, {}));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[1].ns(), 50);
  EXPECT_EQ(measurer.trialCount(), 2);
  EXPECT_EQ(llvm::toString(measurer.measure({a, b}, {}).takeError()),
            "the table of measurements does not contain 'b'; it belongs to a different space, so "
            "create it again");
}

TEST(PolicyTest, NamesGoBothWays) {
  for (Policy policy : {Policy::ColdWeights, Policy::Warm, Policy::Instructions}) {
    EXPECT_EQ(policyFromName(name(policy)), policy);
  }
  EXPECT_EQ(policyFromName("hot"), std::nullopt);
}

} // namespace
} // namespace convoy::tuning
