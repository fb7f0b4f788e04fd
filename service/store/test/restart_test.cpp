// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The server crashes and comes back: the store reconnects, and no committed row is lost.

#include "StoreCase.h"
#include <atomic>
#include <thread>

// libpqxx 6.4 does not free the result of a statement during which the connection breaks: 2 KB per
// broken connection. LeakSanitizer calls this function.
// NOLINTNEXTLINE(bugprone-reserved-identifier)
extern "C" const char *__lsan_default_suppressions() { return "leak:PQmakeEmptyPGresult"; }

namespace convoy::service::store::test {
namespace {

class Restart : public StoreCase {};

TEST_F(Restart, committed_results_survive_a_crash) {
  constexpr int64_t kRounds = 100, kPlaces = 5;
  createTrials(kRounds, kPlaces);
  std::vector<TrialResult> all = results(trials("j", kRounds, kPlaces));
  std::atomic<size_t> finished{0};
  std::atomic<bool> isKilled{false};
  std::thread writer([&] {
    for (size_t begin = 0; begin < all.size();) {
      if (begin == all.size() / 2 && !isKilled) { // the server ends in the middle
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        continue;
      }
      llvm::Expected<std::vector<bool>> firsts =
          store->finishTrials(llvm::ArrayRef(all).slice(begin, kPlaces));
      if (firsts) {
        begin += kPlaces;
        finished = begin;
        continue;
      }
      llvm::Error error = firsts.takeError();
      // After the crash, the caller repeats the write.
      ASSERT_EQ(storeErrorKind(error), StoreError::Kind::Unavailable)
          << llvm::toString(std::move(error));
      llvm::consumeError(std::move(error));
    }
  });
  while (finished < 100) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  kServers->kill("postgres");
  size_t beforeCrash = finished;
  EXPECT_LT(beforeCrash, all.size());
  isKilled = true;
  EXPECT_EQ(kServers->start(), 0);
  std::unique_ptr<Store> reader = open();
  size_t done = 0;
  for (const TrialRow &row : take(reader->trials("j"))) {
    done += row.state == TrialState::Done;
  }
  EXPECT_GE(done, beforeCrash);
  writer.join();
  EXPECT_EQ(sql("select count(*) from trials where state = 'done'"), "500");
  EXPECT_EQ(sql("select count(*) from usage_ledger"), "500");
  EXPECT_EQ(sql("select count(*) from records"), "500");
}

TEST_F(Restart, leader_leads_again_after_a_crash) {
  EXPECT_TRUE(take(store->tryLead()).has_value());
  kServers->kill("postgres");
  EXPECT_FALSE(store->isLeading());
  EXPECT_EQ(kServers->start(), 0);
  EXPECT_FALSE(store->isLeading());
  check(store->putProject({"p", 1, 0})); // nobody else has led since
  EXPECT_EQ(take(store->tryLead()), std::optional<int64_t>(2));
  EXPECT_TRUE(store->isLeading());
}

} // namespace
} // namespace convoy::service::store::test
