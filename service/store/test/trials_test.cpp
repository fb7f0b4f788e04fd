// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Trials and results: one result per trial, whoever brings it.

#include "StoreCase.h"
#include "llvm/ADT/STLExtras.h"
#include <chrono>
#include <map>
#include <thread>

namespace convoy::service::store::test {
namespace {

using Kind = StoreError::Kind;

class Trials : public StoreCase {};

TEST_F(Trials, trials_are_read_back_in_order) {
  createTrials(0, 0);
  std::vector<TrialRow> rows = trials("j", 12, 2);
  std::reverse(rows.begin(), rows.end());
  check(store->addTrials(rows));
  check(store->addTrials(rows)); // again: skipped
  std::vector<TrialRow> read = take(store->trials("j"));
  ASSERT_EQ(read.size(), 24u);
  EXPECT_TRUE(std::is_sorted(read.begin(), read.end(),
                             [](const TrialRow &a, const TrialRow &b) { return a.id < b.id; }));
  EXPECT_EQ(read[23].id.text(), "j/11/1");
  EXPECT_EQ(read[23].task, 1);
  EXPECT_TRUE(read[23].configuration == rows[0].configuration);
  EXPECT_EQ(read[23].state, TrialState::Requested);
  EXPECT_EQ(read[23].epoch, 1);
  EXPECT_FALSE(read[23].result.has_value());
}

TEST_F(Trials, result_is_read_back) {
  createTrials(1, 2);
  TrialResult sent = result({"j", 0, 1});
  sent.outcome = tuning::Outcome::Crash;
  sent.message = std::string("signal \"11\"\0 \xff", 14);
  sent.attempt = 2;
  EXPECT_EQ(take(store->finishTrials({sent})), std::vector<bool>{true});
  TrialRow row = take(store->trials("j"))[1];
  EXPECT_EQ(row.state, TrialState::Done);
  ASSERT_TRUE(row.result.has_value());
  EXPECT_EQ(row.result->outcome, tuning::Outcome::Crash);
  EXPECT_EQ(row.result->message, "signal \"11\" \xef\xbf\xbd");
  EXPECT_EQ(row.result->attempt, 2);
  ASSERT_EQ(row.result->samples.size(), 2u);
  EXPECT_EQ(row.result->samples[0].wallNs, 1001);
  EXPECT_FALSE(row.result->samples[1].isClean);
  EXPECT_EQ(row.result->sentinelNs, 77);
  EXPECT_EQ(row.result->builder, "builder0");
  EXPECT_EQ(row.result->device, "board3");
  EXPECT_EQ(row.result->deviceClass, "cortex-a72");
  EXPECT_EQ(row.result->buildSeconds, 0.25);
  EXPECT_EQ(row.result->measureSeconds, 0.5);
}

TEST_F(Trials, record_names_its_job_and_device) {
  createTrials(1, 2);
  take(store->finishTrials({result({"j", 0, 0})}));
  // The second write does not send the text of the task again.
  take(store->finishTrials({result({"j", 0, 1})}));
  int count = 0;
  check(store->forEachRecord([&](StoredRecord &&row) {
    ++count;
    EXPECT_EQ(row.job, "j");
    EXPECT_EQ(row.device, "board3");
    EXPECT_FALSE(row.record.taskText.empty());
  }));
  EXPECT_EQ(count, 2);
}

TEST_F(Trials, second_result_is_not_counted) {
  createTrials(1, 2);
  TrialResult first = result({"j", 0, 0}), second = first;
  second.message = "late";
  second.record->trial = "late";
  EXPECT_EQ(take(store->finishTrials({first, second, result({"j", 0, 1})})),
            (std::vector<bool>{true, false, true}));
  EXPECT_EQ(take(store->finishTrials({second})), std::vector<bool>{false});
  EXPECT_EQ(take(store->trials("j"))[0].result->message, "");
  EXPECT_EQ(sql("select count(*) from records"), "2");
  std::vector<UsageTotal> usage = take(store->usage("vision"));
  ASSERT_EQ(usage.size(), 1u);
  EXPECT_EQ(usage[0].deviceSeconds, 1);
  EXPECT_EQ(usage[0].buildSeconds, 0.5);
}

TEST_F(Trials, unknown_trial_stores_nothing) {
  createTrials(1, 1);
  EXPECT_EQ(expect(Kind::NotFound,
                   store->finishTrials({result({"j", 0, 0}), result({"j", 5, 0})}).takeError()),
            "trial 'j/5/0' does not exist");
  EXPECT_EQ(take(store->trials("j"))[0].state, TrialState::Requested);
  EXPECT_EQ(take(store->finishTrials({})).size(), 0u);
}

TEST_F(Trials, invalid_record_is_refused) {
  createTrials(1, 1);
  TrialResult bad = result({"j", 0, 0});
  bad.record->policy = "";
  EXPECT_EQ(expect(Kind::Invalid, store->finishTrials({bad}).takeError()),
            "trial 'j/0/0': its policy is empty");
}

TEST_F(Trials, steps_move_trials_that_are_open) {
  createTrials(1, 3);
  take(store->finishTrials({result({"j", 0, 2})}));
  check(store->stepTrials({{{"j", 0, 0}, TrialState::Building, 1, ""},
                           {{"j", 0, 0}, TrialState::Built, 1, R"({"symbol": "k"})"},
                           {{"j", 0, 1}, TrialState::Building, 2, ""},
                           {{"j", 0, 2}, TrialState::Building, 9, ""}}));
  check(store->stepTrials(
      {{{"j", 0, 0}, TrialState::Measuring, 1, ""}, {{"j", 0, 1}, TrialState::Measuring, 1, ""}}));
  std::vector<TrialRow> rows = take(store->trials("j"));
  EXPECT_EQ(rows[0].state, TrialState::Measuring);
  EXPECT_EQ(rows[0].candidate, R"({"symbol": "k"})");
  EXPECT_EQ(rows[1].state, TrialState::Building); // the older attempt is skipped
  EXPECT_EQ(rows[1].attempt, 2);
  EXPECT_EQ(rows[2].state, TrialState::Done);
}

/// Finishes the trials in batches, in this order. Counts the results that were the first.
void finishAll(Store &store, llvm::ArrayRef<TrialResult> results, size_t batch,
               std::map<TrialId, int> &firsts) {
  while (!results.empty()) {
    llvm::ArrayRef<TrialResult> part = results.take_front(batch);
    llvm::Expected<std::vector<bool>> isFirst = store.finishTrials(part);
    ASSERT_TRUE(static_cast<bool>(isFirst)) << llvm::toString(isFirst.takeError());
    for (auto [result, counts] : llvm::zip_equal(part, *isFirst)) {
      firsts[result.id] += counts;
    }
    results = results.drop_front(part.size());
  }
}

TEST_F(Trials, racing_results_count_once) {
  createTrials(20, 10);
  std::vector<TrialResult> all = results(trials("j", 20, 10));
  std::vector<TrialResult> reversed(all.rbegin(), all.rend());
  std::vector<std::map<TrialId, int>> firsts(3);
  std::vector<std::thread> threads;
  for (size_t racer = 0; racer < firsts.size(); ++racer) {
    threads.emplace_back([&, racer] {
      std::unique_ptr<Store> own = open();
      own->useEpoch(store->epoch());
      finishAll(*own, racer == 1 ? reversed : all, 7 + 4 * racer, firsts[racer]);
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  for (const TrialResult &result : all) {
    EXPECT_EQ(firsts[0][result.id] + firsts[1][result.id] + firsts[2][result.id], 1)
        << result.id.text();
  }
  EXPECT_EQ(sql("select count(*) from usage_ledger"), "200");
  EXPECT_EQ(sql("select count(*) from records"), "200");
}

TEST_F(Trials, batches_are_fast) {
  constexpr int64_t kRounds = 20, kPlaces = 500;
  createTrials(0, 0);
  std::vector<TrialRow> rows = trials("j", kRounds, kPlaces);
  std::vector<TrialResult> all = results(rows);
  auto rate = [&](const char *what, auto call) {
    auto start = std::chrono::steady_clock::now();
    for (int64_t round = 0; round < kRounds; ++round) {
      call(round * kPlaces);
    }
    std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    double rowsPerSecond = kRounds * kPlaces / time.count();
    printf("%s: %.0f rows/s (500 rows per call)\n", what, rowsPerSecond);
    return rowsPerSecond;
  };
  double added = rate("addTrials", [&](int64_t begin) {
    check(store->addTrials(llvm::ArrayRef(rows).slice(begin, kPlaces)));
  });
  double finished = rate("finishTrials, with record and usage", [&](int64_t begin) {
    take(store->finishTrials(llvm::ArrayRef(all).slice(begin, kPlaces)));
  });
  auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(take(store->trials("j")).size(), all.size());
  std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  printf("trials: %.0f rows/s\n", static_cast<double>(all.size()) / time.count());
  // 1,000 trials a second are needed. One row per transaction reaches 273 rows/s.
  EXPECT_GT(added, 2000);
  EXPECT_GT(finished, 1000);
}

} // namespace
} // namespace convoy::service::store::test
