// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "service/jobs/BestRecords.h"
#include <gtest/gtest.h>

namespace convoy::service {
namespace {

using tuning::Configuration;
using tuning::Outcome;
using tuning::Record;

Record recordOf(const std::string &text, int64_t ns, Outcome outcome = Outcome::Ok) {
  Record record;
  record.trial = "trial " + text;
  record.taskText = "task";
  record.target = "target";
  record.policy = "cold-weights";
  record.configuration = {"conv_direct", 2, text, "planar", "planar"};
  record.outcome = outcome;
  if (outcome == Outcome::Ok) {
    record.samples = {{1, ns, ns, true}};
  }
  return record;
}

TaskQuery query() { return {tuning::taskHash("task"), "target", "cold-weights", {}}; }

TEST(BestRecords, ReturnsTheFastestOfEachPairOfLayouts) {
  BestRecords best;
  best.add(recordOf("slow", 30), "job", "device");
  best.add(recordOf("fast", 10), "job", "device");
  Record blocked = recordOf("blocked", 20);
  blocked.configuration.inputLayout = "#graph.blocked<c = 16>";
  best.add(blocked, "job", "other");
  std::vector<std::shared_ptr<const BestChoice>> found = best.find(query());
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0]->configuration.text, "fast");
  EXPECT_EQ(found[0]->worker, "device");
  EXPECT_EQ(found[0]->job, "job");
  EXPECT_EQ(found[1]->configuration.text, "blocked");
  EXPECT_EQ(best.count(query()).trials, 3);
}

TEST(BestRecords, ExcludesConfigurationsThatFailedOnce) {
  BestRecords best;
  best.add(recordOf("fast", 10), "job", "");
  best.add(recordOf("slow", 30), "job", "");
  best.add(recordOf("fast", 0, Outcome::WrongResult), "job", "");
  std::vector<std::shared_ptr<const BestChoice>> found = best.find(query());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0]->configuration.text, "slow");
}

TEST(BestRecords, CombinesTheSamplesOfTrials) {
  BestRecords best;
  for (int64_t ns : {10, 50, 30}) {
    best.add(recordOf("one", ns), "job", "");
  }
  std::vector<std::shared_ptr<const BestChoice>> found = best.find(query());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0]->ns, 30);
  EXPECT_EQ(found[0]->samples, 3);
}

TEST(BestRecords, KeepsTheNewestSamples) {
  BestRecords best;
  for (int i = 0; i < 300; ++i) {
    best.add(recordOf("one", 10), "job", "");
  }
  for (int i = 0; i < 64; ++i) {
    best.add(recordOf("one", 20), "job", "");
  }
  std::vector<std::shared_ptr<const BestChoice>> found = best.find(query());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0]->ns, 20);
  EXPECT_EQ(found[0]->samples, 64);
}

TEST(BestRecords, ReplacesTheFastestThatBecomesSlower) {
  BestRecords best;
  best.add(recordOf("fast", 10), "job", "");
  best.add(recordOf("slow", 30), "job", "");
  std::vector<std::shared_ptr<const BestChoice>> before = best.find(query());
  for (int i = 0; i < 3; ++i) {
    best.add(recordOf("fast", 50), "job", "");
  }
  std::vector<std::shared_ptr<const BestChoice>> after = best.find(query());
  ASSERT_EQ(after.size(), 1U);
  EXPECT_EQ(after[0]->configuration.text, "slow");
  EXPECT_EQ(before[0]->ns, 10); // an answer does not change
}

TEST(BestRecords, IgnoresOtherVersionsTargetsAndPolicies) {
  BestRecords best;
  best.add(recordOf("one", 10), "job", "");
  TaskQuery other = query();
  other.templateVersions = {{"conv_direct", 3}};
  EXPECT_TRUE(best.find(other).empty());
  other.templateVersions = {{"conv_direct", 2}};
  EXPECT_EQ(best.find(other).size(), 1U);
  other.target = "another";
  EXPECT_TRUE(best.find(other).empty());
  other = query();
  other.policy = "warm";
  EXPECT_TRUE(best.find(other).empty());
}

} // namespace
} // namespace convoy::service
