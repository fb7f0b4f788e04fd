// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One leader at a time, and no write of an old leader.

#include "StoreCase.h"
#include <chrono>
#include <thread>

namespace convoy::service::store::test {
namespace {

using Kind = StoreError::Kind;

class Leadership : public StoreCase {
protected:
  /// Ends the connection of a leader as the server does it after a partition.
  static void cutLeader() {
    sql("select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'");
  }
  /// Waits until a store leads and returns its epoch.
  static int64_t lead(Store &store) {
    for (int count = 0; count < 10000; ++count) {
      if (std::optional<int64_t> epoch = take(store.tryLead())) {
        return *epoch;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    ADD_FAILURE() << "the leader's lock did not become free";
    return 0;
  }
};

TEST_F(Leadership, one_store_leads) {
  std::unique_ptr<Store> standby = open();
  EXPECT_FALSE(store->isLeading());
  EXPECT_EQ(take(store->tryLead()), std::optional<int64_t>(1));
  EXPECT_EQ(take(store->tryLead()), std::optional<int64_t>(1)); // keeps its epoch
  EXPECT_EQ(take(standby->tryLead()), std::nullopt);
  EXPECT_TRUE(store->isLeading());
  EXPECT_FALSE(standby->isLeading());
  EXPECT_EQ(sql("select count(*) from leader where holder <> ''"), "1");
}

TEST_F(Leadership, resigned_leader_makes_way) {
  std::unique_ptr<Store> standby = open();
  lead(*store);
  store->resign();
  EXPECT_FALSE(store->isLeading());
  EXPECT_EQ(lead(*standby), 2);
}

TEST_F(Leadership, ended_process_makes_way) {
  std::unique_ptr<Store> standby = open();
  lead(*store);
  store.reset();
  EXPECT_EQ(lead(*standby), 2);
}

TEST_F(Leadership, write_without_leadership_fails) {
  EXPECT_EQ(expect(Kind::LostLeadership, store->putProject({"p", 1, 0})),
            "lost the leadership: this process has not led yet, no epoch has begun");
  std::unique_ptr<Store> leader = open();
  lead(*leader);
  EXPECT_EQ(expect(Kind::LostLeadership, store->putProject({"p", 1, 0})),
            "lost the leadership: this process has not led yet, epoch 1 leads");
}

TEST_F(Leadership, old_leader_cannot_write) {
  createTrials(1, 2);
  cutLeader();
  std::unique_ptr<Store> next = open();
  EXPECT_EQ(lead(*next), 2);
  const std::string words = "lost the leadership: epoch 1 is over, epoch 2 leads";
  EXPECT_EQ(expect(Kind::LostLeadership, store->setJobState("j", "RUNNING", "")), words);
  EXPECT_EQ(expect(Kind::LostLeadership, store->putProject({"p", 1, 0})), words);
  EXPECT_EQ(expect(Kind::LostLeadership, store->setJobProgress("j", "{}")), words);
  EXPECT_EQ(expect(Kind::LostLeadership, store->setJobSpec("j", "{}")), words);
  EXPECT_EQ(expect(Kind::LostLeadership, store->createJob(job("k"), {}).takeError()), words);
  EXPECT_EQ(expect(Kind::LostLeadership, store->addTrials(trials("j", 2, 2))), words);
  EXPECT_EQ(
      expect(Kind::LostLeadership, store->stepTrials({{{"j", 0, 0}, TrialState::Building, 1, ""}})),
      words);
  EXPECT_EQ(expect(Kind::LostLeadership, store->finishTrials({result({"j", 0, 0})}).takeError()),
            words);
  EXPECT_EQ(expect(Kind::LostLeadership, store->addRecords({record("r")}).takeError()), words);
  EXPECT_EQ(expect(Kind::LostLeadership, store->addVerdicts({})), words);
  EXPECT_EQ(expect(Kind::LostLeadership, store->putDevices({})), words);
  EXPECT_EQ(expect(Kind::LostLeadership, store->setDeviceState("d", "drain", "")), words);
  EXPECT_EQ(expect(Kind::LostLeadership, store->addUsage({})), words);
  EXPECT_FALSE(store->isLeading());
  // Reads still work, and the new leader sees the old leader's rows.
  EXPECT_EQ(take(store->trials("j")).size(), 2u);
  EXPECT_EQ(take(next->finishTrials({result({"j", 0, 0})})), std::vector<bool>{true});
  EXPECT_EQ(take(next->trials("j"))[0].epoch, 2);
}

TEST_F(Leadership, cut_leader_wins_again_with_a_new_epoch) {
  lead(*store);
  cutLeader();
  EXPECT_FALSE(store->isLeading());
  EXPECT_EQ(lead(*store), 2);
  check(store->putProject({"p", 1, 0}));
}

TEST_F(Leadership, new_epoch_waits_for_writes_of_the_old_one) {
  lead(*store);
  // A write of epoch 1 is in progress: it has read the leader's row.
  pqxx::connection connection;
  pqxx::work write(connection);
  write.exec("select epoch from leader for share");
  cutLeader();
  std::unique_ptr<Store> next = open();
  std::atomic<bool> leads{false};
  std::thread thread([&] {
    EXPECT_EQ(lead(*next), 2);
    leads = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_FALSE(leads);
  write.exec("insert into projects (name) values ('written in epoch 1')");
  write.commit();
  thread.join();
  EXPECT_EQ(take(next->projects()).size(), 1u);
}

TEST_F(Leadership, threads_that_lead_at_the_same_time_share_an_epoch) {
  std::vector<std::thread> threads;
  for (int count = 0; count < 4; ++count) {
    threads.emplace_back([&] { EXPECT_EQ(lead(*store), 1); });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
}

TEST_F(Leadership, blocked_write_may_be_repeated) {
  lead(*store);
  StoreOptions options;
  options.connection = "options='-c lock_timeout=100'";
  std::unique_ptr<Store> hasty = take(Store::open(options));
  hasty->useEpoch(1);
  pqxx::connection connection;
  pqxx::work other(connection);
  other.exec("select epoch from leader for update");
  EXPECT_EQ(expect(Kind::Unavailable, hasty->putProject({"p", 1, 0})),
            "cannot store a project: canceling statement due to lock timeout; repeat the call");
  other.abort();
  check(hasty->putProject({"p", 1, 0}));
}

} // namespace
} // namespace convoy::service::store::test
