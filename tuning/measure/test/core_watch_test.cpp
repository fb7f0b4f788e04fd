// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests changing the CPU and waiting, with simulated sentinel times and without a clock.

#include "tuning/measure/CoreWatch.h"
#include "tuning/measure/Measurer.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace convoy::tuning {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Machine {
  std::map<int, Sample> sentinels{{0, {1, 1000, 1000, true}}, {1, {1, 1000, 1000, true}}};
  std::vector<std::string> said;
  double slept = 0;
  double busyUntil = 0; // seconds of sleep after which all CPUs are free
  int looks = 0;
  bool isCanceled = false;

  CoreWatch watch(WatchOptions options) {
    return CoreWatch(
        std::move(options),
        [this](int cpu) -> llvm::Expected<Sample> {
          ++looks;
          return slept < busyUntil ? Sample{1, 3000, 1500, false} : sentinels[cpu];
        },
        [this](double seconds) {
          slept += seconds;
          return !isCanceled;
        },
        [this](const std::string &text) { said.push_back(text); });
  }
};

WatchOptions twoCores() {
  WatchOptions options;
  options.cpus = {0, 1};
  return options;
}

bool disturbed(CoreWatch &watch) { return llvm::cantFail(watch.afterDisturbance()); }

TEST(CoreWatchTest, LooksEveryTwentyTrials) {
  Machine machine;
  CoreWatch watch = machine.watch(twoCores());
  for (int i = 0; i < 41; ++i) {
    llvm::cantFail(watch.beforeTrials(1));
  }
  EXPECT_EQ(machine.looks, 2);
  EXPECT_TRUE(machine.said.empty());
  EXPECT_THAT(watch.cpus(), ElementsAre(0));
}

TEST(CoreWatchTest, ACanceledWaitIsAnError) {
  Machine machine;
  machine.busyUntil = 100;
  machine.isCanceled = true;
  CoreWatch watch = machine.watch(twoCores());
  llvm::Error error = watch.beforeTrials(1);
  EXPECT_TRUE(error.isA<WaitCanceled>());
  EXPECT_EQ(llvm::toString(std::move(error)), "the wait for an idle machine was canceled");
  EXPECT_LT(machine.slept, 1);
  machine.isCanceled = false;
  machine.busyUntil = 0;
  int looks = machine.looks;
  llvm::cantFail(watch.beforeTrials(1));
  EXPECT_GT(machine.looks, looks) << "the next trial runs the sentinel again";
}

TEST(CoreWatchTest, MovesAwayFromABusyCore) {
  Machine machine;
  CoreWatch watch = machine.watch(twoCores());
  llvm::cantFail(watch.beforeTrials(1));
  machine.sentinels[0].isClean = false;
  EXPECT_TRUE(disturbed(watch));
  EXPECT_THAT(watch.cpus(), ElementsAre(1));
  EXPECT_THAT(machine.said, ElementsAre(HasSubstr("measuring on CPU 1")));
  EXPECT_EQ(machine.slept, 0);
}

TEST(CoreWatchTest, DriftIsNoticed) {
  Machine machine;
  CoreWatch watch = machine.watch(twoCores());
  llvm::cantFail(watch.beforeTrials(1));
  machine.sentinels[0].wallNs = machine.sentinels[0].cpuNs = 1020;
  EXPECT_TRUE(disturbed(watch));
  EXPECT_THAT(watch.cpus(), ElementsAre(0));
  machine.sentinels[0].wallNs = machine.sentinels[0].cpuNs = 1040;
  EXPECT_TRUE(disturbed(watch));
  EXPECT_THAT(watch.cpus(), ElementsAre(1));
}

TEST(CoreWatchTest, AllCoresOfACandidateMustBeFree) {
  Machine machine;
  WatchOptions options = twoCores();
  options.threads = 2;
  CoreWatch watch = machine.watch(options);
  llvm::cantFail(watch.beforeTrials(1));
  EXPECT_EQ(machine.looks, 2);
  machine.sentinels[1].isClean = false;
  EXPECT_FALSE(disturbed(watch)); // There is no other place.
  EXPECT_THAT(machine.said,
              testing::Contains(HasSubstr("waiting for an idle machine, at most 60 s")));
  EXPECT_THAT(watch.cpus(), ElementsAre(0, 1));
}

TEST(CoreWatchTest, WaitsWhenAllAreBusy) {
  Machine machine;
  CoreWatch watch = machine.watch(twoCores());
  llvm::cantFail(watch.beforeTrials(1));
  machine.busyUntil = 10;
  EXPECT_TRUE(disturbed(watch));
  EXPECT_GE(machine.slept, 10);
  EXPECT_LT(machine.slept, 16);
  EXPECT_THAT(machine.said, ElementsAre(HasSubstr("waiting for an idle machine, at most 60 s"),
                                        HasSubstr("the machine is idle after a wait of")));
}

TEST(CoreWatchTest, WaitsAMinuteInAllAndNoLonger) {
  Machine machine;
  CoreWatch watch = machine.watch(twoCores());
  llvm::cantFail(watch.beforeTrials(1));
  machine.busyUntil = 1000;
  EXPECT_FALSE(disturbed(watch));
  EXPECT_FALSE(disturbed(watch));
  EXPECT_LE(machine.slept, 60);
  EXPECT_EQ(watch.waitedSeconds(), machine.slept);
  EXPECT_THAT(machine.said,
              ElementsAre(HasSubstr("waiting for an idle machine, at most"),
                          HasSubstr("the limit of --wait: measuring continues and is less "
                                    "precise; stop other programs or raise --wait")));
}

TEST(CoreWatchTest, AllCoresOfOneCandidate) {
  Machine machine;
  WatchOptions options = twoCores();
  options.threads = 2;
  CoreWatch watch = machine.watch(options);
  llvm::cantFail(watch.beforeTrials(1));
  EXPECT_THAT(watch.cpus(), ElementsAre(0, 1));
}

} // namespace
} // namespace convoy::tuning
