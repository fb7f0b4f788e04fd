// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stage at the end of a job, in which its whole network is built, with a dispatcher in memory.

#include "Layout/Spaces.h"
#include "service/jobs/JobLoop.h"
#include "service/store/test/StoreCase.h"
#include <chrono>
#include <thread>

namespace convoy::service::store::test {
namespace {

/// Keeps what the loop starts and returns the results that a test adds.
struct MemoryDispatcher : tuning::Dispatcher {
  std::vector<tuning::TrialWork> builds;
  std::vector<tuning::Completion> results;
  tuning::Capacity pool;

  llvm::Error build(const tuning::TrialWork &work) override {
    builds.push_back(work);
    return llvm::Error::success();
  }
  llvm::Error measure(const tuning::TrialWork &, const tuning::RunnableCandidate &) override {
    return llvm::Error::success();
  }
  llvm::Expected<std::vector<tuning::Completion>> wait(double) override {
    return std::exchange(results, {});
  }
  llvm::Error acknowledge(llvm::ArrayRef<tuning::Completion>) override {
    return llvm::Error::success();
  }
  void cancel(llvm::StringRef) override {}
  tuning::Capacity capacity() override { return pool; }
};

class Loop : public StoreCase {
protected:
  void SetUp() override {
    StoreCase::SetUp();
    EXPECT_TRUE(take(store->tryLead()).has_value());
    layout::TemplateVersion known = layout::templateVersions().front();
    tuning::Record record;
    record.taskText = "one";
    record.target = target.fingerprint();
    record.policy = name(tuning::policyOf(target)).str();
    record.configuration = {known.id.str(), known.version, "", "planar", "planar"};
    record.samples = {{1, 1000, 1000, true}};
    best.add(record, "j", "d");
    dispatcher.pool.builds = 1;
    dispatcher.pool.devices["c"] = 1;
  }

  void start(double unreachableSeconds = 60) {
    JobLoopOptions options;
    options.unreachableSeconds = unreachableSeconds;
    loop = std::make_unique<JobLoop>(std::move(options), *store, dispatcher, board, best);
    check(loop->load());
  }

  /// Creates a job that the stored record answers, so that only its network is left.
  std::string answeredJob() {
    JobSpec spec;
    spec.set_project("vision");
    spec.set_target_class("c");
    spec.set_model("m");
    spec.set_threads(1);
    spec.set_batch(8);
    spec.set_max_trials(1);
    TaskSpec &task = *spec.add_tasks();
    task.set_text("one");
    task.set_count(1);
    return take(loop->create(spec, target)).id();
  }

  template <typename Condition>
  bool tickUntil(Condition isTrue) {
    for (int i = 0; i < 1500 && !isTrue(); ++i) {
      check(loop->tick(0));
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return isTrue();
  }
  JobStatus status(const std::string &id) const { return *board.find(id); }

  targets::Target target;
  MemoryDispatcher dispatcher;
  StatusBoard board;
  BestRecords best;
  std::unique_ptr<JobLoop> loop;
};

TEST_F(Loop, ends_an_answered_job_after_its_network) {
  start();
  std::string id = answeredJob();
  ASSERT_TRUE(tickUntil([&] { return dispatcher.builds.size() == 1; }));
  EXPECT_EQ(dispatcher.builds[0].network->model, "m");
  tuning::Completion failed;
  failed.trial = dispatcher.builds[0].trial;
  failed.outcome = tuning::Outcome::BuildError;
  failed.message = "no";
  dispatcher.results.push_back(failed);
  ASSERT_TRUE(tickUntil([&] { return isEnded(status(id).state()); }));
  EXPECT_EQ(status(id).state(), JobState::CACHED_HIT);
  EXPECT_EQ(status(id).network().problem(), "no");
  EXPECT_EQ(status(id).trials_done(), 0);
}

TEST_F(Loop, gives_each_network_a_trial_of_its_own) {
  start();
  answeredJob();
  answeredJob();
  ASSERT_TRUE(tickUntil([&] { return dispatcher.builds.size() == 2; }));
  auto placeOf = [](llvm::StringRef trial) { return trial.rsplit('/').second.str(); };
  EXPECT_NE(placeOf(dispatcher.builds[0].trial), placeOf(dispatcher.builds[1].trial));
}

TEST_F(Loop, searches_after_an_extension_during_the_network) {
  start();
  std::string id = answeredJob();
  ASSERT_TRUE(tickUntil([&] { return dispatcher.builds.size() == 1; }));
  JobExtension extension;
  extension.set_id(id);
  extension.set_add_trials(8);
  EXPECT_EQ(take(loop->extend(extension)).max_trials(), 9);
  tuning::Completion failed;
  failed.trial = dispatcher.builds[0].trial;
  failed.outcome = tuning::Outcome::BuildError;
  failed.message = "no";
  dispatcher.results.push_back(failed);
  // The text of the task is none, which only a search notices.
  ASSERT_TRUE(tickUntil([&] { return isEnded(status(id).state()); }));
  EXPECT_EQ(status(id).state(), JobState::FAILED);
}

TEST_F(Loop, gives_up_the_network_without_a_builder) {
  dispatcher.pool = {};
  start(/*unreachableSeconds=*/0.5);
  std::string id = answeredJob();
  ASSERT_TRUE(tickUntil([&] { return isEnded(status(id).state()); }));
  EXPECT_EQ(status(id).state(), JobState::CACHED_HIT);
  EXPECT_EQ(status(id).network().problem(), "no builder is reachable");
  EXPECT_TRUE(dispatcher.builds.empty());
}

TEST_F(Loop, stores_what_the_records_say_about_a_new_job) {
  start();
  std::string id = answeredJob();
  EXPECT_EQ(sql("select progress::text like '%storedUs%' from jobs where id = '" + id + "'"), "t");
}

} // namespace
} // namespace convoy::service::store::test
