// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests that builds stream to the measurer, that nothing runs on its CPUs, and what failures give.

#include "Support/test/TestFolder.h"
#include "tuning/dispatch/LocalDispatcher.h"
#include "tuning/measure/LocalMeasurer.h"
#include "tuning/space/test/TestKernels.h"
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

namespace convoy::tuning {
namespace {

/// Of a wait that ends with an event. Only a failure takes this long, also on a busy machine.
constexpr int kLimitSeconds = 120;

/// Uses a CPU for some time and looks where the caller's thread may run.
class TestMeasurer : public Measurer {
public:
  llvm::Expected<std::vector<Measurement>> measure(llvm::ArrayRef<RunnableCandidate> candidates,
                                                   const MeasurePlan &plan) override {
    if (fails) {
      return llvm::createStringError("no device");
    }
    isWaiting = waits.load();
    while (waits && !isCanceled) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    if (waits) {
      return llvm::make_error<WaitCanceled>();
    }
    use(llvm::ArrayRef(usableCpus()).take_front(static_cast<size_t>(plan.threads)));
    cpu_set_t set;
    sched_getaffinity(caller, sizeof(set), &set);
    isSeparate &= !CPU_ISSET(usableCpus().front(), &set);
    isBusy = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    isBusy = false;
    use({});
    libraries.push_back(candidates[0].library);
    Measurement one;
    one.samples = {{1, 1000, 1000, true}};
    return std::vector<Measurement>{one};
  }
  void cancelWait(bool isNow) override { isCanceled = isNow; }
  void onUse(Use function) override { use = std::move(function); }

  Use use;
  pid_t caller = gettid();
  bool isSeparate = true;
  std::atomic<bool> fails = false, waits = false, isCanceled = false, isBusy = false;
  std::atomic<bool> isWaiting = false;
  std::vector<std::string> libraries;
};

class LocalDispatcherTest : public testing::Test {
protected:
  LocalDispatcherTest() {
    options.target = targets::detectHost();
    options.folder = folder.path();
    options.cpus = usableCpus();
  }

  TrialWork work(const std::string &trial, const std::string &text = "") const {
    TrialWork result;
    result.trial = trial;
    result.task = std::make_shared<layout::Task>(test::convTask({32, 12, 32, 3, 1}));
    result.configuration = {"loops", 1, text, "planar", "planar"};
    return result;
  }

  /// Runs all trials to their end.
  std::map<std::string, Completion> runAll(LocalDispatcher &dispatcher,
                                           std::vector<TrialWork> all) {
    std::map<std::string, TrialWork> open;
    for (const TrialWork &one : all) {
      open[one.trial] = one;
      EXPECT_FALSE(static_cast<bool>(dispatcher.build(one)));
    }
    std::map<std::string, Completion> ended;
    while (ended.size() < open.size()) {
      for (Completion &one : llvm::cantFail(dispatcher.wait(kLimitSeconds))) {
        EXPECT_FALSE(measurer.isBusy && isExclusive) << "the caller works during a measurement";
        if (one.stage == WorkStage::Build && one.outcome == Outcome::Ok) {
          EXPECT_FALSE(static_cast<bool>(dispatcher.measure(open[one.trial], one.candidate)));
        } else {
          ended[one.trial] = std::move(one);
        }
      }
    }
    return ended;
  }

  convoy::test::TemporaryFolder folder;
  LocalDispatcherOptions options;
  TestMeasurer measurer;
  bool isExclusive = false;
};

TEST_F(LocalDispatcherTest, RunsBothStagesOfEachTrial) {
  LocalDispatcher dispatcher(measurer, options);
  std::vector<TrialWork> all;
  for (int i = 0; i < 6; ++i) {
    all.push_back(work("trial" + std::to_string(i)));
  }
  all.push_back(work("wrong", "nonsense"));
  std::map<std::string, Completion> ended = runAll(dispatcher, all);
  EXPECT_EQ(ended.size(), 7u);
  EXPECT_EQ(ended["wrong"].outcome, Outcome::BuildError);
  EXPECT_EQ(ended["wrong"].message.substr(0, 15), "configuration: ");
  EXPECT_EQ(ended["trial0"].measurement.ns(), 1000);
  EXPECT_EQ(std::set<std::string>(measurer.libraries.begin(), measurer.libraries.end()).size(), 6u);
  EXPECT_EQ(measurer.isSeparate, usableCpus().size() > 1);
  EXPECT_EQ(dispatcher.capacity().builds, static_cast<int>(options.cpus.size()));
}

TEST_F(LocalDispatcherTest, TheCallerWaitsWhileAllCpusMeasure) {
  LocalDispatcher dispatcher(measurer, options);
  isExclusive = true;
  std::vector<TrialWork> all;
  for (int i = 0; i < 4; ++i) {
    all.push_back(work("trial" + std::to_string(i)));
    all.back().plan.threads = static_cast<int>(usableCpus().size());
  }
  EXPECT_EQ(runAll(dispatcher, all).size(), 4u);
}

TEST_F(LocalDispatcherTest, ReportsAMeasurerThatFails) {
  LocalDispatcher dispatcher(measurer, options);
  measurer.fails = true;
  ASSERT_FALSE(static_cast<bool>(dispatcher.measure(work("trial"), RunnableCandidate())));
  llvm::Expected<std::vector<Completion>> result = dispatcher.wait(kLimitSeconds);
  EXPECT_EQ(llvm::toString(result.takeError()), "no device");
}

TEST_F(LocalDispatcherTest, ReturnsTheResultsBeforeAFailure) {
  LocalDispatcher dispatcher(measurer, options);
  ASSERT_FALSE(static_cast<bool>(dispatcher.measure(work("good"), RunnableCandidate())));
  while (!measurer.isBusy) {
    std::this_thread::yield();
  }
  measurer.fails = true; // from the second measurement on
  ASSERT_FALSE(static_cast<bool>(dispatcher.measure(work("bad"), RunnableCandidate())));
  llvm::Expected<std::vector<Completion>> results = dispatcher.wait(kLimitSeconds);
  ASSERT_TRUE(static_cast<bool>(results)) << llvm::toString(results.takeError());
  ASSERT_EQ(results->size(), 1u);
  EXPECT_EQ(results->front().trial, "good");
  auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(llvm::toString(dispatcher.wait(kLimitSeconds).takeError()), "no device");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(kLimitSeconds / 2))
      << "a stored failure does not wait";
}

TEST_F(LocalDispatcherTest, CancelEndsAWaitForAnIdleMachine) {
  LocalDispatcher dispatcher(measurer, options);
  measurer.waits = true;
  ASSERT_FALSE(static_cast<bool>(dispatcher.measure(work("trial"), RunnableCandidate())));
  while (!measurer.isWaiting) {
    std::this_thread::yield();
  }
  dispatcher.cancel(""); // would never return if it did not end the wait
  std::vector<Completion> results = llvm::cantFail(dispatcher.wait(0));
  ASSERT_EQ(results.size(), 1u);
  EXPECT_TRUE(results.front().isLost);
  EXPECT_EQ(results.front().message, "the wait for an idle machine was canceled");
  EXPECT_FALSE(measurer.isCanceled) << "races may wait again";
}

TEST_F(LocalDispatcherTest, ReportsATaskWithoutReference) {
  LocalDispatcher dispatcher(measurer, options);
  TrialWork broken = work("trial");
  broken.task = std::make_shared<layout::Task>(layout::Task{"no task", "broken"});
  ASSERT_FALSE(static_cast<bool>(dispatcher.build(broken)));
  std::string problem;
  for (int i = 0; i < 10 && problem.empty(); ++i) {
    llvm::Expected<std::vector<Completion>> result = dispatcher.wait(kLimitSeconds);
    problem = result ? "" : llvm::toString(result.takeError());
  }
  EXPECT_EQ(llvm::StringRef(problem).take_front(66),
            "cannot compute the expected results of a task: invalid task text: ");
}

TEST_F(LocalDispatcherTest, DropsWorkThatHasNotStarted) {
  LocalDispatcher dispatcher(measurer, options);
  for (int i = 0; i < 20; ++i) {
    ASSERT_FALSE(static_cast<bool>(dispatcher.build(work("trial" + std::to_string(i)))));
  }
  dispatcher.cancel("");
  size_t count = 0;
  for (int i = 0; i < 4; ++i) {
    count += llvm::cantFail(dispatcher.wait(0.5)).size();
  }
  EXPECT_LE(count, options.cpus.size());
}

TEST_F(LocalDispatcherTest, BuildsATaskAgainWhoseReferenceWasDropped) {
  LocalDispatcher dispatcher(measurer, options);
  ASSERT_FALSE(static_cast<bool>(dispatcher.build(work("first"))));
  dispatcher.cancel(""); // no process has started the reference
  std::map<std::string, Completion> ended = runAll(dispatcher, {work("second")});
  EXPECT_EQ(ended["second"].outcome, Outcome::Ok);
}

} // namespace
} // namespace convoy::tuning
