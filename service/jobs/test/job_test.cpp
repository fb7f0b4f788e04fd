// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "service/jobs/Job.h"
#include <gtest/gtest.h>

namespace convoy::service {
namespace {

JobSpec specOf(int64_t maxTrials) {
  JobSpec spec;
  spec.set_project("p");
  for (auto [name, text, count] : {std::tuple("one", "text one", 2), {"two", "text two", 1}}) {
    TaskSpec &task = *spec.add_tasks();
    task.set_name(name);
    task.set_text(text);
    task.set_count(count);
  }
  spec.set_max_trials(maxTrials);
  return spec;
}

/// A job whose search is in use, so that results wait in the job.
struct BusyJob : Job {
  explicit BusyJob(const JobSpec &spec)
      : Job("j1", service::scheduler::JobId{1}, spec, targets::Target()) {
    isSearching = true;
    startedUs = 1;
  }
  void addRound(int64_t round, int64_t task, int64_t places) {
    for (int64_t place = 0; place < places; ++place) {
      store::TrialRow row;
      row.id = {"j1", round, place};
      row.task = task;
      row.configuration.text = "c" + std::to_string(place);
      addTrial(row);
    }
  }
  void finish(int64_t round, int64_t place, int64_t ns) {
    store::TrialResult result;
    result.id = {"j1", round, place};
    result.measureSeconds = 0.5;
    result.outcome = ns > 0 ? tuning::Outcome::Ok : tuning::Outcome::Crash;
    result.samples = {{1, ns, ns, true}};
    applyResult(result);
  }
};

TEST(Job, ProposesOneRoundAhead) {
  BusyJob job(specOf(0));
  EXPECT_TRUE(job.canPropose());
  job.addRound(0, 0, 2);
  EXPECT_TRUE(job.canPropose()); // the look-ahead
  job.addRound(1, 1, 2);
  EXPECT_FALSE(job.canPropose());
  job.finish(1, 0, 10);
  job.finish(1, 1, 10);
  EXPECT_FALSE(job.canPropose()); // round 2 needs the results of round 0
  job.finish(0, 0, 10);
  EXPECT_FALSE(job.canPropose());
  job.finish(0, 1, 10);
  EXPECT_TRUE(job.canPropose());
}

TEST(Job, ProposesNothingBeyondItsTrials) {
  BusyJob job(specOf(2));
  job.addRound(0, 0, 2);
  EXPECT_FALSE(job.canPropose());
  EXPECT_FALSE(job.whyEnd(1));
  job.finish(0, 0, 10);
  job.finish(0, 1, 10);
  std::optional<JobEnd> end = job.whyEnd(1);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->state, JobState::BUDGET_DONE);
  EXPECT_EQ(end->reason, "all 2 trials are done");
}

TEST(Job, CountsAResultOnce) {
  BusyJob job(specOf(0));
  job.addRound(0, 0, 2);
  job.finish(0, 0, 10);
  job.finish(0, 0, 5);
  job.finish(0, 1, 0);
  JobStatus status = job.status();
  EXPECT_EQ(status.trials_requested(), 2);
  EXPECT_EQ(status.trials_done(), 2);
  EXPECT_EQ(status.trials_failed(), 1);
  EXPECT_EQ(status.tasks(0).best_ns(), 10);
  EXPECT_EQ(status.device_seconds(), 1);
  EXPECT_EQ(status.best_us(), 0); // the second task has no time
}

TEST(Job, EndsWhenTheLatencyIsReached) {
  JobSpec spec = specOf(100);
  spec.set_latency_us(0.05);
  BusyJob job(spec);
  job.addRound(0, 0, 1);
  job.addRound(1, 1, 1);
  job.finish(0, 0, 10); // two kernels
  EXPECT_FALSE(job.whyEnd(1));
  job.finish(1, 0, 30);
  std::optional<JobEnd> end = job.whyEnd(1);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->state, JobState::SLA_MET);
  EXPECT_DOUBLE_EQ(job.status().best_us(), 0.05);
}

TEST(Job, EndsWhenTimeIsUsedUp) {
  JobSpec spec = specOf(0);
  spec.set_max_device_seconds(0.5);
  spec.set_max_wall_seconds(100);
  BusyJob job(spec);
  job.addRound(0, 0, 1);
  EXPECT_EQ(job.usedUp(50), "");
  EXPECT_EQ(job.usedUp(101.5), "the limit of 100 s is reached");
  job.find(0, 0)->isStarted = true;
  EXPECT_FALSE(job.whyEnd(101.5)); // a result arrives
  job.find(0, 0)->isStarted = false;
  EXPECT_EQ(job.whyEnd(101.5)->state, JobState::BUDGET_DONE); // no device has taken the trial
  job.finish(0, 0, 10);
  EXPECT_EQ(job.usedUp(50), "the limit of 0.5 device-seconds is reached");
  EXPECT_EQ(job.whyEnd(50)->state, JobState::BUDGET_DONE);
}

TEST(Job, ReachesTheLatencyWithStoredConfigurations) {
  JobSpec spec = specOf(100);
  spec.set_latency_us(0.05);
  BusyJob job(spec);
  auto stored = std::make_shared<BestChoice>();
  stored->ns = 30;
  stored->configuration.text = "stored";
  job.setStored({nullptr, stored}, 0);
  job.addRound(0, 0, 1);
  EXPECT_FALSE(job.whyEnd(1));
  job.finish(0, 0, 10); // two kernels
  ASSERT_TRUE(job.whyEnd(1));
  EXPECT_EQ(job.whyEnd(1)->state, JobState::SLA_MET);
  EXPECT_EQ(job.status().tasks(1).configuration().text(), "stored");
  EXPECT_EQ(job.status().tasks(1).trials(), 0);
}

TEST(Job, UsesTheTimeOfTheNetworkForItsLatency) {
  JobSpec spec = specOf(100);
  spec.set_latency_us(0.05);
  spec.set_model("m");
  BusyJob job(spec);
  EXPECT_TRUE(job.wantsNetwork());
  job.addRound(0, 0, 1);
  job.addRound(1, 1, 1);
  job.finish(0, 0, 10);
  job.finish(1, 0, 30);
  ASSERT_TRUE(job.whyEnd(1)); // 0.05 us in sum
  job.networkTime.emplace().set_us(0.06);
  job.networkFactor = 1.2;
  EXPECT_FALSE(job.whyEnd(1)); // the network takes longer than its kernels
  job.networkFactor = 1;
  job.networkTime->set_us(0.05);
  job.networkTime->set_low_us(0.04);
  job.networkTime->set_high_us(0.06);
  EXPECT_EQ(job.whyEnd(1)->reason,
            "the network takes 0.1 us (0.0 to 0.1), at most 0.1 us were required");
  EXPECT_EQ(job.status().network().us(), 0.05);
  spec.set_skips_network(true);
  EXPECT_FALSE(BusyJob(spec).wantsNetwork());
}

TEST(Job, FindsItsNetwork) {
  BusyJob job(specOf(0));
  EXPECT_EQ(job.find(kNetworkRound, 1), nullptr);
  job.network.emplace().id = {"j1", kNetworkRound, 1};
  job.addRound(0, 0, 2);
  EXPECT_EQ(job.find(Job::handleOf(*job.network)), &*job.network);
  EXPECT_EQ(job.find(kNetworkRound, 2), nullptr); // of an earlier build
  EXPECT_TRUE(Job::isNetwork(job.itemOf(*job.network)));
  EXPECT_FALSE(Job::isNetwork(job.itemOf(*job.find(0, 1))));
  using service::scheduler::Stage;
  EXPECT_FALSE(Job::isNetwork({job.number, Stage::Propose, kNetworkRound << kPlaceBits}));
  int visited = 0;
  job.forEachOpen([&](OpenTrial &) { ++visited; });
  EXPECT_EQ(visited, 3);
}

TEST(Job, EstimatesItsEndWithinItsLimits) {
  JobSpec spec = specOf(0);
  BusyJob job(spec);
  EXPECT_EQ(job.estimateEnd(std::nullopt, 50), 0);
  EXPECT_EQ(job.estimateEnd(20, 50), 70);
  spec.set_max_wall_seconds(60);
  job.setSpec(spec);
  job.startedUs = 1000000;
  EXPECT_EQ(job.estimateEnd(20, 50), 61);
  EXPECT_EQ(job.estimateEnd(5, 50), 55);
  spec.set_max_device_seconds(4);
  job.setSpec(spec);
  EXPECT_EQ(job.estimateEnd(std::nullopt, 11), 61); // the rate is not known yet
  job.addRound(0, 0, 2);
  job.finish(0, 0, 10);
  job.finish(0, 1, 10); // 1 device-second after 10 s: 4 after 40 s
  EXPECT_EQ(job.estimateEnd(std::nullopt, 11), 41);
  EXPECT_EQ(job.estimateEnd(std::nullopt, 70), 70); // late, but not in the past
  job.state = JobState::PAUSED;
  EXPECT_EQ(job.estimateEnd(20, 50), 0);
}

TEST(Job, PublishesMaterialChangesOfItsEnd) {
  BusyJob job(specOf(0));
  auto isPublished = [&](double end) {
    job.isDirty = false;
    job.setEstimatedEnd(end, 1000);
    return job.isDirty;
  };
  EXPECT_TRUE(isPublished(1100));
  EXPECT_FALSE(isPublished(1104)); // below 5 % of the time that is left
  EXPECT_TRUE(isPublished(1108));  // two small changes
  EXPECT_TRUE(isPublished(1200));
  EXPECT_TRUE(isPublished(0)); // unknown
  EXPECT_FALSE(isPublished(0));
  EXPECT_EQ(job.status().estimated_end_us(), 0);
  EXPECT_TRUE(isPublished(1e300));
  EXPECT_GT(job.status().estimated_end_us(), 0);
}

TEST(Job, RestoresItsProgress) {
  JobSpec spec = specOf(100);
  JobStatus progress;
  progress.set_started_us(7);
  progress.set_stored_us(12.5);
  progress.set_warning("improbable");
  progress.set_best_us(0.05);
  for (double ns : {10, 30}) {
    TaskStatus &task = *progress.add_tasks();
    task.set_best_ns(ns);
    task.mutable_configuration()->set_text("stored");
  }
  progress.mutable_network()->set_us(0.06);
  BusyJob job(spec);
  job.addRound(0, 0, 1);
  job.finish(0, 0, 5);
  job.restore(progress);
  JobStatus status = job.status();
  EXPECT_EQ(status.started_us(), 7);
  EXPECT_EQ(status.stored_us(), 12.5);
  EXPECT_EQ(status.warning(), "improbable");
  EXPECT_EQ(status.tasks(0).best_ns(), 5); // a trial was faster
  EXPECT_EQ(status.tasks(1).best_ns(), 30);
  EXPECT_EQ(status.tasks(1).configuration().text(), "stored");
  EXPECT_EQ(status.network().us(), 0.06);
  EXPECT_DOUBLE_EQ(job.networkFactor, 1.2);
  EXPECT_EQ(job.timedUs, 0.05);
  EXPECT_FALSE(job.ending);
  progress.mutable_network()->set_problem("no builder is reachable");
  BusyJob retried(spec);
  retried.restore(progress);
  EXPECT_LT(retried.timedUs, 0); // the network is built again
}

TEST(Job, FindsTrialsByHandle) {
  BusyJob job(specOf(0));
  job.addRound(7, 0, 3);
  OpenTrial *trial = job.find(7, 2);
  ASSERT_NE(trial, nullptr);
  EXPECT_EQ(job.find(Job::handleOf(*trial)), trial);
  EXPECT_EQ(job.find(7, 3), nullptr);
}

TEST(Job, CountsRestoredTrials) {
  BusyJob job(specOf(0));
  store::TrialRow row;
  row.id = {"j1", 0, 0};
  row.result.emplace();
  row.result->samples = {{1, 20, 20, true}};
  job.addTrial(row);
  EXPECT_EQ(job.status().trials_done(), 1);
  EXPECT_EQ(job.status().tasks(0).best_ns(), 20);
  EXPECT_TRUE(job.open.empty());
}

} // namespace
} // namespace convoy::service
