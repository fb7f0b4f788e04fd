// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Layout/Spaces.h"
#include "service/jobs/RecordAnswer.h"
#include "tuning/measure/Measurer.h"
#include <gtest/gtest.h>

namespace convoy::service {
namespace {

using layout::TemplateVersion;

/// Two kernels of task "one" and a kernel of task "two".
JobSpec specOf(double latencyUs, int64_t maxTrials = 0) {
  JobSpec spec;
  for (auto [text, count] : {std::pair("one", 2), {"two", 1}}) {
    TaskSpec &task = *spec.add_tasks();
    task.set_text(text);
    task.set_count(count);
  }
  spec.set_latency_us(latencyUs);
  spec.set_max_trials(maxTrials);
  return spec;
}

struct RecordAnswerTest : ::testing::Test {
  targets::Target target;
  BestRecords best;

  void add(const std::string &task, int64_t ns, const std::string &text = "") {
    TemplateVersion known = layout::templateVersions().front();
    tuning::Record record;
    record.taskText = task;
    record.target = target.fingerprint();
    record.policy = name(tuning::policyOf(target)).str();
    record.configuration = {known.id.str(), known.version, text, "planar", "planar"};
    record.samples = {{1, ns, ns, true}};
    best.add(record, "j", "d");
  }
  RecordAnswer answer(const JobSpec &spec) const { return recordAnswer(spec, target, best); }
};

TEST_F(RecordAnswerTest, EndsAJobWhoseLatencyTheRecordsReach) {
  add("one", 10000);
  EXPECT_FALSE(endByRecords(specOf(50), answer(specOf(50)))); // nothing is known about a task
  add("two", 30000);
  std::optional<JobEnd> end = endByRecords(specOf(50), answer(specOf(50)));
  ASSERT_TRUE(end);
  EXPECT_EQ(end->state, JobState::SLA_MET);
  EXPECT_EQ(end->reason, "the stored configurations of these tasks take 50.0 us in sum, at most "
                         "50.0 us were required");
  EXPECT_FALSE(endByRecords(specOf(49.9), answer(specOf(49.9))));
  EXPECT_FALSE(endByRecords(specOf(0), answer(specOf(0)))); // no latency is required
  JobSpec fresh = specOf(50);
  fresh.set_ignores_stored(true);
  EXPECT_FALSE(endByRecords(fresh, answer(fresh)));
}

TEST_F(RecordAnswerTest, EndsAJobWithEnoughStoredTrials) {
  add("one", 10000, "a");
  add("one", 20000, "b");
  add("two", 30000);
  std::optional<JobEnd> end = endByRecords(specOf(40, 3), answer(specOf(40, 3)));
  ASSERT_TRUE(end);
  EXPECT_EQ(end->state, JobState::CACHED_HIT);
  EXPECT_EQ(end->reason, "3 trials of these tasks are stored, 3 were requested");
  EXPECT_FALSE(endByRecords(specOf(40, 4), answer(specOf(40, 4))));
}

TEST_F(RecordAnswerTest, IgnoresRecordsOfOtherTargetsAndTemplates) {
  add("two", 1000);
  target.cpu = "another";
  add("one", 1000);
  EXPECT_EQ(answer(specOf(0)).knownTasks, 1U);
  EXPECT_EQ(answer(specOf(0)).us(), 0);
}

TEST_F(RecordAnswerTest, WarnsOfAnImprobableLatency) {
  // 100 configurations: no better one is probably below 0.91 of the best.
  for (int i = 0; i < 100; ++i) {
    add("one", 10000 + i, "c" + std::to_string(i));
    add("two", 30000 + i, "c" + std::to_string(i));
  }
  EXPECT_EQ(latencyWarning(specOf(46), answer(specOf(46))), ""); // 0.92 of 50 us
  EXPECT_EQ(latencyWarning(specOf(45), answer(specOf(45))),
            "45.0 us are improbable: the fastest stored configurations of these tasks take 50.0 us "
            "in sum after 200 trials, and probably no configurations take less than 45.5 us");
  EXPECT_EQ(latencyWarning(specOf(0), answer(specOf(0))), "");
}

TEST_F(RecordAnswerTest, WarnsIfTheKnownTasksAloneTakeLonger) {
  add("two", 30000);
  // One configuration says little: a better one may take 0.26 of its time.
  EXPECT_EQ(latencyWarning(specOf(8), answer(specOf(8))), "");
  EXPECT_EQ(latencyWarning(specOf(7), answer(specOf(7))),
            "7.0 us are improbable: the fastest stored configurations of 1 of the 2 tasks take "
            "30.0 us in sum after 1 trials, and probably no configurations take less than 7.8 us");
}

TEST_F(RecordAnswerTest, CountsAConfigurationOnce) {
  for (int i = 0; i < 100; ++i) {
    add("two", 30000);
  }
  EXPECT_EQ(answer(specOf(0)).trials, 100);
  EXPECT_DOUBLE_EQ(answer(specOf(0)).leastUs, 30 * leastShare(1));
}

TEST(LeastShare, GrowsWithTheNumberOfConfigurations) {
  EXPECT_EQ(leastShare(0), 0);
  double last = 0;
  for (int64_t count : {1, 2, 4, 8, 16, 32, 64, 100, 200}) {
    EXPECT_GT(leastShare(count), last) << count;
    last = leastShare(count);
  }
  EXPECT_EQ(leastShare(7), leastShare(4));
  EXPECT_EQ(leastShare(100000), last);
  EXPECT_LT(last, 1);
}

} // namespace
} // namespace convoy::service
