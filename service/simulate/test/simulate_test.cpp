// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The simulation: its rules, its faults, and the targets of the scheduler on the small loads.

#include "service/simulate/Experiment.h"
#include "service/simulate/JobModel.h"
#include "service/simulate/Random.h"
#include "service/simulate/ShareWatch.h"
#include "gtest/gtest.h"

using namespace convoy::service;
using convoy::service::scheduler::makePolicy;

namespace {

/// One job of two rounds with exact times: 1 s per proposal, build and measurement.
Load tinyLoad() {
  Load load;
  load.name = "tiny";
  load.searchSlots = 1;
  load.buildSlots = 2;
  load.devices["a"] = 1;
  LoadJob job;
  job.project = "p";
  job.deviceClass = "a";
  job.rounds = 2;
  job.batch = 2;
  job.meanSeconds = {1, 1, 1};
  load.jobs.push_back(job);
  return load;
}

Load smallLoad(const char *name, uint64_t seed) { return makeLoad(*findLoadShape(name), seed); }

void expectTargets(const char *name, int seeds) {
  Experiment experiment;
  experiment.makeLoad = [&](uint64_t seed) { return smallLoad(name, seed); };
  experiment.policies = {"fifo", "balanced"};
  experiment.seeds = seeds;
  for (const std::string &missed : missedTargets(runExperiment(experiment))) {
    ADD_FAILURE() << name << ": " << missed;
  }
}

TEST(JobModel, looksAheadOneRound) {
  JobModel model(3, 2, /*lookAhead=*/1);
  EXPECT_EQ(model.propose(), 0);
  EXPECT_EQ(model.propose(), std::nullopt); // one proposal at a time
  model.endProposal();
  EXPECT_EQ(model.propose(), 1);
  model.endProposal();
  EXPECT_EQ(model.propose(), std::nullopt); // round 0 has no results
  model.complete(1);
  model.complete(2); // of round 1; results apply in the order of rounds
  EXPECT_EQ(model.propose(), std::nullopt);
  model.complete(0);
  EXPECT_EQ(model.propose(), 2);
  model.endProposal();
  for (int64_t trial : {3, 4, 5}) {
    EXPECT_FALSE(model.isFinished());
    model.complete(trial);
  }
  EXPECT_TRUE(model.isFinished());
  EXPECT_EQ(model.propose(), std::nullopt);
}

TEST(Simulate, runsEveryTrialOnce) {
  for (const char *policy : {"serial", "fifo", "fair", "srpt", "balanced"}) {
    Load load = smallLoad("balanced-60", 3);
    SimulationResult result = simulate(load, makePolicy(policy), {});
    for (size_t i = 0; i < load.jobs.size(); ++i) {
      ASSERT_EQ(result.jobs[i].trials, load.jobs[i].trials()) << policy << ", job " << i;
    }
    EXPECT_GE(result.makespanSeconds, result.lowerBoundSeconds * (1 - 1e-9)) << policy;
  }
}

TEST(Simulate, buildsStreamToTheDevice) {
  // Round 0: proposal 0-1, builds 1-2, measurements 2-4. The proposal of round 1 runs at 1-2, its
  // builds at 2-3, its measurements at 4-6. Items vary by a few per cent.
  SimulationResult result = simulate(tinyLoad(), makePolicy("fifo"), {});
  EXPECT_NEAR(result.makespanSeconds, 6, 1.5);
  SimulationOptions options;
  options.lookAhead = 0;
  result = simulate(tinyLoad(), makePolicy("fifo"), options);
  EXPECT_NEAR(result.makespanSeconds, 8, 1.5);
  EXPECT_NEAR(aloneSeconds(tinyLoad(), tinyLoad().jobs[0]), 8, 1.5);
  EXPECT_NEAR(lowerBoundSeconds(tinyLoad()), 4, 1);
}

TEST(Simulate, sameSeedGivesTheSameSchedule) {
  SimulationOptions options;
  options.keepsSpans = true;
  options.faults.deviceLossSeconds = 100;
  options.faults.hungTrialShare = 0.01;
  Load load = smallLoad("burst-8", 2);
  SimulationResult a = simulate(load, makePolicy("balanced"), options);
  SimulationResult b = simulate(load, makePolicy("balanced"), options);
  ASSERT_EQ(a.spans.size(), b.spans.size());
  for (size_t i = 0; i < a.spans.size(); ++i) {
    ASSERT_EQ(a.spans[i].job, b.spans[i].job);
    ASSERT_EQ(a.spans[i].start, b.spans[i].start);
  }
}

TEST(Simulate, aSlotRunsOneItemAtATime) {
  SimulationOptions options;
  options.keepsSpans = true;
  Load load = smallLoad("burst-8", 1);
  SimulationResult result = simulate(load, makePolicy("balanced"), options);
  std::map<std::pair<int, int>, double> free; // by stage and slot
  std::sort(result.spans.begin(), result.spans.end(),
            [](const Span &a, const Span &b) { return a.start < b.start; });
  for (const Span &span : result.spans) {
    double &end = free[{static_cast<int>(span.stage), span.slot}];
    ASSERT_GE(span.start, end);
    end = span.end;
  }
  EXPECT_EQ(free.size(), 2u + 6u + 2u);
}

TEST(Simulate, faultsLoseAndDoubleNoTrial) {
  Load load = smallLoad("balanced-60", 1);
  SimulationOptions options;
  options.faults.workerDeathSeconds = 30;
  options.faults.deviceLossSeconds = 60;
  options.faults.hungTrialShare = 0.01;
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    options.seed = seed;
    SimulationResult result = simulate(load, makePolicy("balanced"), options);
    EXPECT_GT(result.abandoned, 50);
    for (size_t i = 0; i < load.jobs.size(); ++i) {
      ASSERT_EQ(result.jobs[i].trials, load.jobs[i].trials());
    }
  }
}

TEST(Simulate, theBoundHoldsUnderFaults) {
  Load load = smallLoad("device-bound-24", 1);
  SimulationOptions options;
  options.faults.hungTrialShare = 0.002;
  Metrics metrics = metricsOf(simulate(load, makePolicy("balanced"), options));
  EXPECT_LE(metrics.longestWaitOfBound, 1);
}

TEST(Simulate, aHigherTierEndsSooner) {
  Load load = smallLoad("cpu-bound-40", 1);
  LoadJob &longest =
      *std::max_element(load.jobs.begin(), load.jobs.end(),
                        [](const LoadJob &a, const LoadJob &b) { return a.rounds < b.rounds; });
  size_t index = static_cast<size_t>(&longest - load.jobs.data());
  double before = simulate(load, makePolicy("balanced"), {}).jobs[index].slowdown;
  longest.tier = 1;
  double after = simulate(load, makePolicy("balanced"), {}).jobs[index].slowdown;
  EXPECT_LT(after, 1.0);
  EXPECT_LT(after, before);
}

TEST(ShareWatch, countsOnlyCommonBacklogs) {
  ShareWatch watch;
  size_t a = watch.add("a"), b = watch.add("b");
  EXPECT_EQ(watch.add("a"), a);
  watch.addWaiting(a, 1);
  watch.addMeasuring(a, 4);
  watch.advance(1000); // b does not wait
  EXPECT_DOUBLE_EQ(watch.jainIndex(100), 1);
  watch.addWaiting(b, 1);
  watch.addMeasuring(b, 2);
  watch.advance(1200); // 800 and 400 device-seconds
  EXPECT_DOUBLE_EQ(watch.jainIndex(100), 1200.0 * 1200 / (2 * (800.0 * 800 + 400.0 * 400)));
  EXPECT_DOUBLE_EQ(watch.jainIndex(300), 1);
}

TEST(Metrics, quantilesInterpolate) {
  EXPECT_DOUBLE_EQ(quantile({3, 1, 2}, 0.5), 2);
  EXPECT_DOUBLE_EQ(quantile({0, 10}, 0.95), 9.5);
  EXPECT_DOUBLE_EQ(quantile({}, 0.5), 0);
}

TEST(Experiment, namesTheMissedTargets) {
  PolicyFigures fifo{"fifo", {}}, balanced{"balanced", {}, 0.6, 1.1};
  balanced.metrics.longestWaitOfBound = 1.5;
  EXPECT_EQ(missedTargets({fifo, balanced}),
            (std::vector<std::string>{"p95 slowdown / FIFO is 0.6, expected at most 0.5",
                                      "makespan / FIFO is 1.1, expected at most 1.05",
                                      "longest wait / aging bound is 1.5, expected at most 1"}));
  EXPECT_EQ(missedTargets({fifo}).size(), 1u);
}

TEST(Targets, burst8) { expectTargets("burst-8", 10); }
TEST(Targets, cpuBound40) { expectTargets("cpu-bound-40", 10); }
TEST(Targets, deviceBound24) { expectTargets("device-bound-24", 10); }
TEST(Targets, balanced60) { expectTargets("balanced-60", 10); }
TEST(Targets, jobs1000) { expectTargets("jobs-1000", 1); }

} // namespace
