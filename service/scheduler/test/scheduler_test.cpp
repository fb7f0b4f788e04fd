// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One test per rule of the scheduler.

#include "service/scheduler/Scheduler.h"
#include "gtest/gtest.h"
#include <algorithm>

using namespace convoy::service::scheduler;

namespace {

constexpr JobId kA{1}, kB{2}, kC{3};

JobSpec spec(const std::string &project, int64_t trials, int tier = 0) {
  JobSpec result;
  result.project = project;
  result.deviceClass = "arm";
  result.trials = trials;
  result.tier = tier;
  return result;
}

/// A scheduler with one slot of each kind and 1 s per item.
class SchedulerTest : public ::testing::Test {
protected:
  void make(std::string_view policy, SchedulerOptions options = {}) {
    scheduler = std::make_unique<Scheduler>(makePolicy(policy), options,
                                            std::make_unique<FixedTimes>(PerStage{1, 1, 1}));
    scheduler->setSearchSlots(1);
    scheduler->setBuildSlots(1);
    scheduler->setDevices("arm", 1);
  }
  void addBuilds(JobId job, int count, double now = 0, int64_t first = 0) {
    for (int i = 0; i < count; ++i) {
      ASSERT_TRUE(scheduler->ready({job, Stage::Build, first + i}, now));
    }
  }
  /// Runs builds of 1 s, one at a time, and returns the jobs in the order of their starts.
  std::vector<JobId> runBuilds(int count, double &now) {
    std::vector<JobId> order;
    for (int i = 0; i < count; ++i) {
      std::vector<Item> items = scheduler->next(now);
      if (items.size() != 1) {
        ADD_FAILURE() << "expected one start, got " << items.size();
        break;
      }
      order.push_back(items[0].job);
      now += 1;
      scheduler->finish(items[0], 1, now);
    }
    return order;
  }
  static int64_t count(const std::vector<JobId> &order, JobId job) {
    return std::count(order.begin(), order.end(), job);
  }

  std::unique_ptr<Scheduler> scheduler;
  double now = 0;
};

TEST_F(SchedulerTest, startsNoMoreItemsThanSlots) {
  make("fifo");
  scheduler->setBuildSlots(3);
  scheduler->setDevices("arm", 2);
  scheduler->submit(kA, spec("p", 16), 0);
  addBuilds(kA, 5);
  for (int i = 0; i < 5; ++i) {
    scheduler->ready({kA, Stage::Measure, i}, 0);
  }
  EXPECT_EQ(scheduler->next(0).size(), 5u);
  EXPECT_TRUE(scheduler->next(0).empty());
  PoolStatus pool = scheduler->pool("arm");
  EXPECT_EQ(pool.building, 3);
  EXPECT_EQ(pool.measuring, 2);
}

TEST_F(SchedulerTest, buildsNeverTakeASearchSlot) {
  make("balanced");
  scheduler->submit(kA, spec("p", 16), 0);
  addBuilds(kA, 4);
  EXPECT_EQ(scheduler->next(0).size(), 1u);
  scheduler->ready({kA, Stage::Propose, 0}, 0);
  std::vector<Item> items = scheduler->next(0);
  ASSERT_EQ(items.size(), 1u);
  EXPECT_EQ(items[0].stage, Stage::Propose);
}

TEST_F(SchedulerTest, classesOfDevicesAreSeparate) {
  make("balanced");
  JobSpec other = spec("p", 16);
  other.deviceClass = "riscv";
  scheduler->submit(kA, other, 0);
  scheduler->ready({kA, Stage::Measure, 0}, 0);
  EXPECT_TRUE(scheduler->next(0).empty());
  scheduler->setDevices("riscv", 1);
  EXPECT_EQ(scheduler->next(1).size(), 1u);
}

TEST_F(SchedulerTest, jobUsesSeveralDevicesUpToItsMaximum) {
  make("balanced");
  scheduler->setDevices("arm", 8);
  JobSpec limited = spec("p", 64);
  limited.maxInFlight = 3;
  scheduler->submit(kA, limited, 0);
  for (int i = 0; i < 8; ++i) {
    scheduler->ready({kA, Stage::Measure, i}, 0);
  }
  EXPECT_EQ(scheduler->next(0).size(), 3u);
  scheduler->finish({kA, Stage::Measure, 0}, 1, 1);
  EXPECT_EQ(scheduler->next(1).size(), 1u);
}

TEST_F(SchedulerTest, fifoTakesTheItemThatWasReadyFirst) {
  make("fifo");
  scheduler->submit(kA, spec("p", 16), 0);
  scheduler->submit(kB, spec("p", 16), 0);
  addBuilds(kB, 1, 1);
  addBuilds(kA, 1, 2);
  addBuilds(kB, 1, 3, 10);
  now = 4;
  EXPECT_EQ(runBuilds(3, now), (std::vector<JobId>{kB, kA, kB}));
}

TEST_F(SchedulerTest, serialRunsOneJobAtATime) {
  make("serial");
  scheduler->submit(kA, spec("p", 16), 0);
  scheduler->submit(kB, spec("p", 1), 0);
  addBuilds(kB, 1);
  EXPECT_TRUE(scheduler->next(0).empty());
  scheduler->remove(kA, 1);
  EXPECT_EQ(scheduler->next(1).size(), 1u);
}

TEST_F(SchedulerTest, fairServesTheJobWithTheLeastService) {
  make("fair");
  scheduler->submit(kA, spec("p", 100), 0);
  scheduler->submit(kB, spec("p", 10), 0);
  addBuilds(kA, 20);
  addBuilds(kB, 20);
  std::vector<JobId> order = runBuilds(20, now);
  EXPECT_EQ(count(order, kA), 10);
  EXPECT_EQ(count(order, kB), 10);
}

TEST_F(SchedulerTest, srptServesTheShortestRemainingWorkFirst) {
  make("srpt");
  scheduler->submit(kA, spec("p", 100), 0);
  scheduler->submit(kB, spec("p", 20), 0);
  addBuilds(kA, 5);
  EXPECT_EQ(runBuilds(2, now), (std::vector<JobId>{kA, kA}));
  addBuilds(kB, 5, now);
  EXPECT_EQ(runBuilds(5, now), std::vector<JobId>(5, kB));
}

TEST_F(SchedulerTest, remainingWorkIsThatOfTheScarcestResource) {
  // Both jobs need 32 builds, but there is one riscv device and there are 16 arm devices.
  make("srpt");
  scheduler->setBuildSlots(16);
  scheduler->setDevices("arm", 16);
  scheduler->setDevices("riscv", 1);
  JobSpec scarce = spec("p", 32);
  scarce.deviceClass = "riscv";
  scheduler->submit(kA, scarce, 0);
  scheduler->submit(kB, spec("p", 32), 0);
  EXPECT_DOUBLE_EQ(scheduler->job(kA, 0)->remainingSeconds, 32);
  EXPECT_DOUBLE_EQ(scheduler->job(kB, 0)->remainingSeconds, 2);
  addBuilds(kA, 1);
  addBuilds(kB, 1);
  EXPECT_EQ(scheduler->next(0, 1)[0].job, kB);
}

TEST_F(SchedulerTest, observedTimesCorrectTheEstimate) {
  scheduler = std::make_unique<Scheduler>(makePolicy("srpt"));
  scheduler->setBuildSlots(1);
  scheduler->setDevices("arm", 1);
  scheduler->submit(kA, spec("p", 100), 0);
  double before = scheduler->job(kA, 0)->remainingSeconds;
  addBuilds(kA, 10);
  for (int i = 0; i < 10; ++i) {
    scheduler->finish(scheduler->next(i * 14)[0], 14, i * 14 + 14);
  }
  EXPECT_GT(scheduler->job(kA, 140)->remainingSeconds, 5 * before);
}

TEST_F(SchedulerTest, projectsShareInProportionToTheirWeights) {
  SchedulerOptions options;
  options.shareSlackSeconds = 1;
  make("balanced", options);
  scheduler->setProject("heavy", {3});
  scheduler->submit(kA, spec("heavy", 10000), 0);
  scheduler->submit(kB, spec("light", 5000), 0); // shorter, so rank alone would serve only it
  addBuilds(kA, 400);
  addBuilds(kB, 400);
  std::vector<JobId> order = runBuilds(400, now);
  EXPECT_NEAR(static_cast<double>(count(order, kA)), 300, 5);
}

TEST_F(SchedulerTest, aProjectLeadsByAtMostTheSlack) {
  SchedulerOptions options;
  options.shareSlackSeconds = 10;
  make("balanced", options);
  scheduler->submit(kA, spec("long", 10000), 0);
  scheduler->submit(kB, spec("short", 5000), 0);
  addBuilds(kA, 400);
  addBuilds(kB, 400);
  for (int i = 0; i < 400; ++i) {
    runBuilds(1, now);
    double lead = scheduler->project("short").share - scheduler->project("long").share;
    ASSERT_LE(lead, 10 + 1);
  }
  EXPECT_GT(scheduler->project("short").share, scheduler->project("long").share + 5);
}

TEST_F(SchedulerTest, anIdleProjectSavesNoShare) {
  SchedulerOptions options;
  options.shareSlackSeconds = 1;
  make("balanced", options);
  scheduler->submit(kA, spec("early", 10000), 0);
  addBuilds(kA, 400);
  runBuilds(200, now);
  scheduler->submit(kB, spec("late", 20000), now);
  addBuilds(kB, 100, now);
  EXPECT_NEAR(static_cast<double>(count(runBuilds(40, now), kA)), 20, 3);
}

TEST_F(SchedulerTest, aStarvedJobIsServedBeforeItsAgingBound) {
  make("balanced");
  scheduler->submit(kA, spec("p", 16), 0); // 33 s alone: 1 + 16 + 16
  double service = scheduler->job(kA, 0)->serviceSeconds;
  EXPECT_DOUBLE_EQ(service, 33);
  addBuilds(kA, 1);
  int64_t next = 10;
  std::optional<double> started;
  while (!started && now < 10 * service) {
    // New jobs with one trial always precede the job.
    scheduler->submit(JobId(next), spec("p", 1), now);
    addBuilds(JobId(next), 1, now);
    Item item = scheduler->next(now)[0];
    started = item.job == kA ? std::optional(now) : std::nullopt;
    now += 1;
    scheduler->finish(item, 1, now);
    scheduler->remove(item.job == kA ? JobId(next) : item.job, now);
    ++next;
  }
  ASSERT_TRUE(started);
  EXPECT_GE(*started, kAgingStart * service);
  EXPECT_LE(*started, kAgingBound * service);
  EXPECT_LE(scheduler->job(kA, now)->longestWaitOfBound, 1);
}

TEST_F(SchedulerTest, srptStarvesWithoutAging) {
  make("srpt");
  scheduler->submit(kA, spec("p", 16), 0);
  addBuilds(kA, 1);
  for (int64_t next = 10; next < 300; ++next, now += 1) {
    scheduler->submit(JobId(next), spec("p", 1), now);
    addBuilds(JobId(next), 1, now);
    Item item = scheduler->next(now)[0];
    ASSERT_NE(item.job, kA);
    scheduler->finish(item, 1, now + 1);
    scheduler->remove(item.job, now + 1);
  }
  EXPECT_GT(scheduler->job(kA, now)->longestWaitOfBound, 2);
}

TEST_F(SchedulerTest, aStarvedJobEndsAlthoughShorterJobsAlwaysWait) {
  // Each boost doubles, so 64 builds need 7 boosts of at most the aging bound each.
  make("balanced");
  scheduler->submit(kA, spec("p", 64), 0);
  double service = scheduler->job(kA, 0)->serviceSeconds;
  addBuilds(kA, 64);
  int64_t next = 10;
  while (scheduler->job(kA, now)->finished[1] < 64 && now < 30 * service) {
    scheduler->submit(JobId(next), spec("p", 1), now);
    addBuilds(JobId(next++), 1, now);
    Item item = scheduler->next(now)[0];
    now += 1;
    scheduler->finish(item, 1, now);
    if (item.job != kA) {
      scheduler->remove(item.job, now);
    }
  }
  EXPECT_EQ(scheduler->job(kA, now)->finished[1], 64);
  EXPECT_LE(now, 7 * kAgingBound * service);
}

TEST_F(SchedulerTest, aJobWithALongPathPrecedesShorterJobs) {
  // 80 proposals of 1 s are sequential, while 24 builds of other jobs are left in the pool.
  scheduler = std::make_unique<Scheduler>(makePolicy("balanced"));
  scheduler->setSearchSlots(4);
  scheduler->setBuildSlots(100);
  scheduler->setDevices("arm", 100);
  JobSpec path = spec("p", 80);
  path.batch = 1;
  scheduler->submit(kA, path, 0);
  scheduler->submit(kB, spec("p", 16), 0);
  addBuilds(kB, 1);
  addBuilds(kA, 1);
  EXPECT_EQ(scheduler->next(0, 1)[0].job, kA);
}

TEST_F(SchedulerTest, aHigherTierTakesTheNextSlotButStopsNothing) {
  make("balanced");
  scheduler->submit(kA, spec("p", 16), 0);
  addBuilds(kA, 2);
  ASSERT_EQ(scheduler->next(0).size(), 1u);
  scheduler->submit(kB, spec("p", 1000, /*tier=*/1), 0);
  addBuilds(kB, 1);
  EXPECT_TRUE(scheduler->next(0).empty()); // the item in flight keeps its slot
  EXPECT_EQ(scheduler->pool("arm").building, 1);
  scheduler->finish({kA, Stage::Build, 0}, 1, 1);
  now = 1;
  EXPECT_EQ(runBuilds(2, now), (std::vector<JobId>{kB, kA}));
}

TEST_F(SchedulerTest, anAgedJobDoesNotPrecedeAHigherTier) {
  make("balanced");
  scheduler->submit(kA, spec("p", 1), 0);
  scheduler->submit(kB, spec("p", 1000, /*tier=*/1), 0);
  addBuilds(kA, 1);
  addBuilds(kB, 100);
  EXPECT_EQ(count(runBuilds(100, now), kB), 100);
}

TEST_F(SchedulerTest, quotaRefusesWithAReasonAndARetryTime) {
  make("balanced");
  ProjectLimits limits;
  limits.quotaDeviceSeconds = 100;
  limits.windowSeconds = 3600;
  scheduler->setProject("p", limits);
  EXPECT_TRUE(scheduler->submit(kA, spec("p", 80), 600).isAdmitted);
  Admission refused = scheduler->submit(kB, spec("p", 30), 600);
  EXPECT_FALSE(refused.isAdmitted);
  EXPECT_EQ(refused.reason, "project 'p' needs 30 device-seconds, 20 of its quota of 100 are left; "
                            "retry in 3000 s");
  EXPECT_DOUBLE_EQ(refused.retrySeconds, 3000);
  EXPECT_FALSE(scheduler->job(kB, 600));
  Admission tooLarge = scheduler->submit(kC, spec("p", 101), 600);
  EXPECT_EQ(tooLarge.reason, "project 'p' needs 101 device-seconds, 20 of its quota of 100 are "
                             "left; request fewer trials");
  EXPECT_DOUBLE_EQ(tooLarge.retrySeconds, 0);
}

TEST_F(SchedulerTest, quotaReturnsWithTheWindowAndWithTheJob) {
  make("balanced");
  ProjectLimits limits;
  limits.quotaDeviceSeconds = 100;
  limits.windowSeconds = 3600;
  scheduler->setProject("p", limits);
  scheduler->submit(kA, spec("p", 100), 0);
  scheduler->ready({kA, Stage::Measure, 0}, 0);
  scheduler->finish(scheduler->next(0)[0], 60, 60);
  EXPECT_DOUBLE_EQ(scheduler->project("p").windowDeviceSeconds, 60);
  scheduler->remove(kA, 60); // returns what was reserved, not what was used
  EXPECT_FALSE(scheduler->submit(kB, spec("p", 41), 70).isAdmitted);
  EXPECT_TRUE(scheduler->submit(kB, spec("p", 40), 70).isAdmitted);
  scheduler->remove(kB, 80);
  EXPECT_TRUE(scheduler->submit(kC, spec("p", 100), 3700).isAdmitted);
}

TEST_F(SchedulerTest, extendIsSubjectToTheQuota) {
  make("balanced");
  ProjectLimits limits;
  limits.quotaDeviceSeconds = 100;
  scheduler->setProject("p", limits);
  scheduler->submit(kA, spec("p", 50), 0);
  EXPECT_FALSE(scheduler->extend(kA, 51, 0).isAdmitted);
  EXPECT_DOUBLE_EQ(scheduler->project("p").reservedDeviceSeconds, 50);
  EXPECT_TRUE(scheduler->extend(kA, 50, 0).isAdmitted);
  EXPECT_DOUBLE_EQ(scheduler->project("p").reservedDeviceSeconds, 100);
  EXPECT_DOUBLE_EQ(scheduler->job(kA, 0)->remainingSeconds, 100);
  EXPECT_EQ(scheduler->extend(kB, 1, 0).reason, "the scheduler has no job with this id");
}

TEST_F(SchedulerTest, aPausedJobStartsNothing) {
  make("balanced");
  scheduler->submit(kA, spec("p", 16), 0);
  addBuilds(kA, 2);
  Item first = scheduler->next(0)[0];
  EXPECT_TRUE(scheduler->pause(kA, 0));
  EXPECT_FALSE(scheduler->pause(kA, 0));
  EXPECT_TRUE(scheduler->finish(first, 1, 1));
  EXPECT_TRUE(scheduler->ready({kA, Stage::Measure, 0}, 1));
  EXPECT_TRUE(scheduler->next(1).empty());
  EXPECT_TRUE(scheduler->resume(kA, 500));
  EXPECT_EQ(scheduler->next(500).size(), 2u);
  EXPECT_LE(scheduler->job(kA, 500)->longestWaitSeconds, 1); // a pause is not a wait
}

TEST_F(SchedulerTest, aRemovedJobKeepsItsSlotUntilTheItemEnds) {
  make("balanced");
  scheduler->submit(kA, spec("p", 16), 0);
  scheduler->submit(kB, spec("p", 16), 0);
  addBuilds(kA, 2);
  Item first = scheduler->next(0)[0];
  EXPECT_TRUE(scheduler->remove(kA, 0));
  EXPECT_FALSE(scheduler->remove(kA, 0));
  EXPECT_FALSE(scheduler->ready({kA, Stage::Build, 9}, 0));
  addBuilds(kB, 1);
  EXPECT_TRUE(scheduler->next(0).empty());
  EXPECT_TRUE(scheduler->finish(first, 1, 1));
  EXPECT_FALSE(scheduler->job(kA, 1));
  EXPECT_EQ(scheduler->next(1)[0].job, kB);
}

TEST_F(SchedulerTest, fewerSlotsStopNoItem) {
  make("balanced");
  scheduler->setBuildSlots(3);
  scheduler->submit(kA, spec("p", 16), 0);
  addBuilds(kA, 5);
  EXPECT_EQ(scheduler->next(0).size(), 3u);
  scheduler->setBuildSlots(1);
  scheduler->finish({kA, Stage::Build, 0}, 1, 1);
  scheduler->finish({kA, Stage::Build, 1}, 1, 1);
  EXPECT_TRUE(scheduler->next(1).empty());
  scheduler->finish({kA, Stage::Build, 2}, 1, 2);
  EXPECT_EQ(scheduler->next(2).size(), 1u);
  scheduler->setBuildSlots(2);
  EXPECT_EQ(scheduler->next(2).size(), 1u);
}

TEST_F(SchedulerTest, anAbandonedItemIsReadyAgainBeforeTheOthers) {
  make("balanced");
  scheduler->submit(kA, spec("p", 16), 0);
  addBuilds(kA, 3);
  Item first = scheduler->next(0)[0];
  double share = scheduler->project("p").share;
  EXPECT_TRUE(scheduler->abandon(first, 15));
  EXPECT_FALSE(scheduler->abandon(first, 15));
  EXPECT_FALSE(scheduler->finish(first, 15, 15)); // a late result of the lost lease
  std::vector<Item> again = scheduler->next(15);
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(again[0], first);
  EXPECT_DOUBLE_EQ(scheduler->project("p").share, share); // paid once
  EXPECT_TRUE(scheduler->finish(first, 1, 16));
}

TEST_F(SchedulerTest, unknownAndDoubledReportsAreHarmless) {
  make("balanced");
  EXPECT_FALSE(scheduler->ready({kA, Stage::Build, 0}, 0));
  scheduler->submit(kA, spec("p", 16), 0);
  EXPECT_FALSE(scheduler->submit(kA, spec("p", 16), 0).isAdmitted);
  addBuilds(kA, 1);
  EXPECT_FALSE(scheduler->ready({kA, Stage::Build, 0}, 0));
  EXPECT_FALSE(scheduler->finish({kA, Stage::Build, 0}, 1, 0)); // not started
  Item item = scheduler->next(0)[0];
  EXPECT_FALSE(scheduler->ready(item, 0));
  EXPECT_TRUE(scheduler->finish(item, 1, 1));
  EXPECT_FALSE(scheduler->finish(item, 1, 1));
  EXPECT_EQ(scheduler->pool("arm").building, 0);
  EXPECT_FALSE(scheduler->resume(kA, 1));
  EXPECT_FALSE(scheduler->pause(kB, 1));
}

TEST_F(SchedulerTest, itemsPerSlotKeepsWorkAtTheWorker) {
  SchedulerOptions options;
  options.itemsPerSlot = 2;
  make("balanced", options);
  scheduler->submit(kA, spec("p", 16), 0);
  addBuilds(kA, 5);
  EXPECT_EQ(scheduler->next(0).size(), 2u);
}

TEST_F(SchedulerTest, aLimitedCallKeepsTheRest) {
  make("balanced");
  scheduler->setBuildSlots(4);
  scheduler->submit(kA, spec("p", 16), 0);
  addBuilds(kA, 4);
  scheduler->ready({kA, Stage::Measure, 9}, 0);
  EXPECT_EQ(scheduler->next(0, 3).size(), 3u);
  EXPECT_EQ(scheduler->next(0, 3).size(), 2u);
}

TEST_F(SchedulerTest, aJobWithoutALimitOfTrialsHasAnEstimate) {
  make("balanced");
  scheduler->submit(kA, spec("p", 0), 0);
  EXPECT_DOUBLE_EQ(scheduler->job(kA, 0)->remainingSeconds, kUnknownTrials);
  EXPECT_EQ(scheduler->extend(kA, 16, 0).reason,
            "the job has no limit of trials that this number could change");
}

TEST_F(SchedulerTest, aRestoredJobCountsWhatWasDone) {
  make("balanced");
  ProjectLimits limits;
  limits.quotaDeviceSeconds = 100;
  scheduler->setProject("p", limits);
  scheduler->addUsage("p", 60, 10);
  JobSpec restored = spec("p", 96);
  restored.doneTrials = 64;
  EXPECT_TRUE(scheduler->submit(kA, restored, 10).isAdmitted);
  EXPECT_DOUBLE_EQ(scheduler->job(kA, 10)->remainingSeconds, 32);
  EXPECT_DOUBLE_EQ(scheduler->project("p").reservedDeviceSeconds, 32);
  EXPECT_FALSE(scheduler->submit(kB, spec("p", 9), 10).isAdmitted);
  EXPECT_TRUE(scheduler->submit(kB, spec("p", 8), 10).isAdmitted);
}

TEST_F(SchedulerTest, aJobThatWasAdmittedIsNotRefused) {
  make("balanced");
  ProjectLimits limits;
  limits.quotaDeviceSeconds = 10;
  scheduler->setProject("p", limits);
  JobSpec restored = spec("p", 50);
  restored.wasAdmitted = true;
  EXPECT_TRUE(scheduler->submit(kA, restored, 0).isAdmitted);
  EXPECT_DOUBLE_EQ(scheduler->project("p").reservedDeviceSeconds, 50);
  EXPECT_FALSE(scheduler->submit(kB, spec("p", 1), 0).isAdmitted);
}

TEST_F(SchedulerTest, itemsThatDidNotRunDoNotChangeTheEstimate) {
  scheduler = std::make_unique<Scheduler>(makePolicy("srpt"));
  scheduler->setBuildSlots(1);
  scheduler->setDevices("arm", 1);
  scheduler->submit(kA, spec("p", 100), 0);
  addBuilds(kA, 10);
  for (int i = 0; i < 10; ++i) {
    scheduler->finish(scheduler->next(i)[0], 0, i);
  }
  EXPECT_DOUBLE_EQ(scheduler->job(kA, 10)->remainingSeconds, 90 * kDefaultStageSeconds[1]);
}

TEST_F(SchedulerTest, anItemThatIsNoTrialIsOnlyCharged) {
  scheduler = std::make_unique<Scheduler>(makePolicy("srpt"));
  scheduler->setBuildSlots(1);
  scheduler->setDevices("arm", 1);
  scheduler->submit(kA, spec("p", 100), 0);
  double remaining = scheduler->job(kA, 0)->remainingSeconds;
  double reserved = scheduler->project("p").reservedDeviceSeconds;
  for (Stage stage : {Stage::Build, Stage::Measure}) {
    ASSERT_TRUE(scheduler->ready({kA, stage, 7}, 0));
    std::vector<Item> items = scheduler->next(0);
    ASSERT_EQ(items.size(), 1u);
    EXPECT_TRUE(scheduler->finishExtra(items[0], 500, 500));
    EXPECT_FALSE(scheduler->finishExtra(items[0], 500, 500));
  }
  JobStatus status = *scheduler->job(kA, 500);
  EXPECT_EQ(status.finished, (std::array<int64_t, kStages>{}));
  EXPECT_DOUBLE_EQ(status.remainingSeconds, remaining); // 500 s say nothing about a trial
  EXPECT_DOUBLE_EQ(status.usedSeconds[2], 500);
  EXPECT_DOUBLE_EQ(scheduler->project("p").reservedDeviceSeconds, reserved);
  EXPECT_DOUBLE_EQ(scheduler->project("p").deviceSeconds, 500);
  EXPECT_EQ(scheduler->pool("arm").building, 0);
  EXPECT_EQ(scheduler->pool("arm").measuring, 0);
}

TEST_F(SchedulerTest, sameCallsGiveTheSameStarts) {
  std::vector<std::vector<Item>> runs;
  for (int run = 0; run < 2; ++run) {
    make("balanced");
    std::vector<Item> all;
    for (int64_t i = 0; i < 40; ++i) {
      scheduler->submit(JobId(i), spec("p" + std::to_string(i % 3), 16 + i % 5), 0);
      addBuilds(JobId(i), 4);
    }
    for (now = 0; now < 160; ++now) {
      for (const Item &item : scheduler->next(now)) {
        all.push_back(item);
        scheduler->finish(item, 1 + static_cast<double>(item.handle) / 8, now + 1);
      }
    }
    runs.push_back(all);
  }
  EXPECT_EQ(runs[0], runs[1]);
  EXPECT_EQ(runs[0].size(), 160u);
}

TEST(Policies, unknownNameGivesNoPolicy) {
  EXPECT_EQ(makePolicy("random"), nullptr);
  for (std::string_view name : policyNames()) {
    EXPECT_EQ(makePolicy(name)->name(), name);
  }
}

TEST_F(SchedulerTest, estimatesTheEndInTheOrderOfThePolicy) {
  make("srpt");
  JobSpec shorter = spec("p", 10), longer = spec("p", 20), urgent = spec("p", 40, 1);
  shorter.batch = longer.batch = urgent.batch = 10;
  scheduler->submit(kA, longer, 0);
  scheduler->submit(kB, shorter, 0);
  std::unordered_map<JobId, double> ends = scheduler->secondsToEnd();
  // Alone, a round of 10 takes 1 + 10 + 10 s, and two rounds overlap.
  EXPECT_DOUBLE_EQ(ends[kB], 10.5);
  EXPECT_DOUBLE_EQ(ends[kA], 30); // 20 builds after the 10 builds of the shorter job
  scheduler->submit(kC, urgent, 0);
  EXPECT_DOUBLE_EQ(scheduler->secondsToEnd()[kA], 70);
  scheduler->setBuildSlots(2);
  scheduler->setDevices("arm", 2);
  EXPECT_DOUBLE_EQ(scheduler->secondsToEnd()[kA], 35);
}

TEST_F(SchedulerTest, estimatesNoEndThatItCannotKnow) {
  make("balanced");
  scheduler->submit(kA, spec("p", 10), 0);
  scheduler->submit(kB, spec("p", 0), 0); // no limit of trials
  EXPECT_EQ(scheduler->secondsToEnd().count(kB), 0U);
  scheduler->pause(kA, 0);
  EXPECT_EQ(scheduler->secondsToEnd().count(kA), 0U);
  scheduler->resume(kA, 0);
  EXPECT_EQ(scheduler->secondsToEnd().count(kA), 1U);
  scheduler->setDevices("arm", 0);
  EXPECT_EQ(scheduler->secondsToEnd().count(kA), 0U);
}

TEST_F(SchedulerTest, estimatesTheRestOfAJob) {
  make("fifo");
  scheduler->submit(kA, spec("p", 10), 0);
  double before = scheduler->secondsToEnd()[kA];
  addBuilds(kA, 4);
  runBuilds(4, now);
  for (int i = 0; i < 4; ++i) {
    scheduler->ready({kA, Stage::Measure, i}, now);
    scheduler->next(now);
    now += 1;
    scheduler->finish({kA, Stage::Measure, i}, 1, now);
  }
  EXPECT_LT(scheduler->secondsToEnd()[kA], 0.65 * before);
}

} // namespace
