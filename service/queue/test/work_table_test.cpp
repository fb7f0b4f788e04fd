// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which results count: leases, attempts, leaders, repeated and late results.

#include "service/queue/WorkTable.h"
#include <gtest/gtest.h>

using namespace convoy::service;
using convoy::tuning::WorkStage;
using Verdict = WorkTable::Verdict;

namespace {

WorkMessage workOf(const std::string &trial, int attempt = 1, int64_t epoch = 1) {
  WorkMessage message;
  message.trial = trial;
  message.attempt = attempt;
  message.epoch = epoch;
  return message;
}

ResultMessage resultOf(const WorkMessage &work, int64_t delivery) {
  ResultMessage result;
  result.token = {work.epoch, work.attempt, work.issue, delivery};
  result.completion.stage = work.stage;
  result.completion.trial = work.trial;
  result.completion.attempt = work.attempt;
  return result;
}

StartedMessage startedOf(const WorkMessage &work, int64_t delivery) {
  return {work.stage, work.trial, {work.epoch, work.attempt, work.issue, delivery}, "agent"};
}

TEST(WorkTable, one_result_counts) {
  WorkTable table;
  WorkMessage work = workOf("j/0/0");
  EXPECT_TRUE(table.add(work, "build.j", 0));
  EXPECT_EQ(table.openCount(), 1u);
  EXPECT_EQ(table.judge(resultOf(work, 1), 7, 1), Verdict::Deliver);
  EXPECT_EQ(table.openCount(), 0u);
  // Another worker's result of the same attempt.
  EXPECT_EQ(table.judge(resultOf(work, 2), 8, 1), Verdict::Repeated);
  // The same message arrives again, because it was not acknowledged.
  EXPECT_EQ(table.judge(resultOf(work, 1), 7, 1), Verdict::Deliver);
  table.acknowledge(workKey(work.stage, work.trial));
  EXPECT_EQ(table.judge(resultOf(work, 1), 7, 1), Verdict::Repeated);
}

TEST(WorkTable, a_worker_without_the_lease_is_stale) {
  WorkTable table;
  WorkMessage work = workOf("j/0/0");
  table.add(work, "build.j", 0);
  table.noteStarted(startedOf(work, 1), 0);
  table.noteStarted(startedOf(work, 2), 0);
  EXPECT_EQ(table.judge(resultOf(work, 1), 7, 1), Verdict::Stale);
  EXPECT_EQ(table.judge(resultOf(work, 2), 8, 1), Verdict::Deliver);
}

TEST(WorkTable, old_attempts_and_old_leaders_are_stale) {
  WorkTable table;
  table.add(workOf("j/0/0", 2, 5), "build.j", 0);
  EXPECT_EQ(table.judge(resultOf(workOf("j/0/0", 1, 5), 1), 7, 1), Verdict::Stale);
  EXPECT_EQ(table.judge(resultOf(workOf("j/0/0", 9, 4), 1), 7, 1), Verdict::Stale);
  // Nobody else works on this trial, so the caller decides.
  EXPECT_EQ(table.judge(resultOf(workOf("j/0/1", 1, 4), 1), 9, 1), Verdict::Deliver);
}

TEST(WorkTable, the_stages_of_a_trial_are_separate) {
  WorkTable table;
  WorkMessage build = workOf("j/0/0"), measure = workOf("j/0/0");
  measure.stage = WorkStage::Measure;
  table.add(build, "build.j", 0);
  EXPECT_EQ(table.judge(resultOf(build, 3), 7, 1), Verdict::Deliver);
  table.add(measure, "measure.c.j", 0);
  EXPECT_EQ(table.judge(resultOf(measure, 1), 8, 1), Verdict::Deliver);
}

TEST(WorkTable, work_whose_result_has_arrived_is_not_published_again) {
  // The acknowledgement of the first publish was lost, so the caller gives the work again.
  WorkTable table;
  WorkMessage work = workOf("j/0/0");
  table.add(work, "build.j", 0);
  table.retract(work);
  EXPECT_EQ(table.judge(resultOf(work, 1), 7, 1), Verdict::Deliver);
  EXPECT_FALSE(table.add(work, "build.j", 2));
  EXPECT_TRUE(table.add(workOf("j/0/0", 2), "build.j", 2));
}

TEST(WorkTable, finds_work_without_a_sign_of_life) {
  WorkTable table;
  WorkMessage quiet = workOf("j/0/0"), busy = workOf("j/0/1");
  table.add(quiet, "build.j", 0);
  table.add(busy, "build.j", 0);
  table.setSequence(quiet, 1);
  table.setSequence(busy, 2);
  table.noteBusy("j/0/1", 50);
  std::vector<WorkTable::Work> stale = table.findStale(60, 45);
  ASSERT_EQ(stale.size(), 1u);
  EXPECT_EQ(stale[0].message.trial, "j/0/0");
  WorkMessage again = table.reissue(stale[0].message, 60);
  EXPECT_EQ(again.issue, 1);
  EXPECT_TRUE(table.findStale(61, 45).empty());
  // The worker of the lost message answers after all.
  EXPECT_EQ(table.judge(resultOf(quiet, 3), 7, 1), Verdict::Stale);
  EXPECT_EQ(table.judge(resultOf(again, 1), 8, 1), Verdict::Deliver);
}

TEST(WorkTable, exhausted_work_ignores_late_results) {
  WorkTable table;
  WorkMessage work = workOf("j/0/0");
  table.add(work, "build.j", 0);
  ASSERT_TRUE(table.find(work));
  EXPECT_FALSE(table.find(workOf("j/0/0", 2)));
  table.exhaust(work, 1);
  EXPECT_EQ(table.openCount(), 0u);
  EXPECT_EQ(table.judge(resultOf(work, 3), 7, 1), Verdict::Repeated);
}

TEST(WorkTable, forgets_a_job) {
  WorkTable table;
  table.add(workOf("j/0/0"), "build.j", 0);
  table.add(workOf("j2/0/0"), "build.j2", 0);
  table.forget("j");
  EXPECT_EQ(table.openCount(), 1u);
  EXPECT_TRUE(table.find(workOf("j2/0/0")));
}

TEST(WorkTable, the_history_is_bounded) {
  WorkTable table;
  auto trialOf = [](int i) { return "j/" + std::to_string(i) + "/0"; };
  for (int i = 0; i < 30000; ++i) {
    WorkMessage work = workOf(trialOf(i));
    table.add(work, "build.j", 0);
    table.judge(resultOf(work, 1), static_cast<uint64_t>(i) + 1, 0);
    table.acknowledge(workKey(work.stage, work.trial));
  }
  EXPECT_EQ(table.size(), 0u);
  EXPECT_EQ(table.judge(resultOf(workOf(trialOf(29999)), 1), 40000, 0), Verdict::Repeated);
  EXPECT_EQ(table.judge(resultOf(workOf(trialOf(0)), 1), 40001, 0), Verdict::Deliver);
}

TEST(WorkTable, a_finished_stage_starts_again_with_another_attempt) {
  WorkTable table;
  WorkMessage work = workOf("j/0/0");
  table.add(work, "build.j", 0);
  EXPECT_EQ(table.judge(resultOf(work, 1), 7, 0), Verdict::Deliver);
  table.acknowledge(workKey(work.stage, work.trial));
  EXPECT_FALSE(table.add(work, "build.j", 1));
  WorkMessage again = workOf("j/0/0", 2);
  EXPECT_TRUE(table.add(again, "build.j", 1));
  EXPECT_EQ(table.judge(resultOf(work, 2), 8, 1), Verdict::Stale);
  EXPECT_EQ(table.judge(resultOf(again, 1), 9, 1), Verdict::Deliver);
}

} // namespace
