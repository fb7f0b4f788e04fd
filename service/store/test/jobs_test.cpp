// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Projects, jobs, devices and the usage ledger.

#include "StoreCase.h"

namespace convoy::service::store::test {
namespace {

using Kind = StoreError::Kind;

class Jobs : public StoreCase {
protected:
  void SetUp() override {
    StoreCase::SetUp();
    EXPECT_TRUE(take(store->tryLead()).has_value());
  }
};

TEST_F(Jobs, job_is_read_back) {
  CreatedJob created = take(store->createJob(job("a", "key 1"), tasks("a")));
  EXPECT_TRUE(created.isNew);
  std::vector<JobRow> jobs = take(store->jobs());
  ASSERT_EQ(jobs.size(), 1u);
  EXPECT_EQ(jobs[0].id, "a");
  EXPECT_EQ(jobs[0].project, "vision");
  EXPECT_EQ(jobs[0].idempotencyKey, "key 1");
  EXPECT_EQ(jobs[0].spec, R"({"model": "resnet50"})");
  EXPECT_EQ(jobs[0].state, "QUEUED");
  EXPECT_EQ(jobs[0].reason, "waits for a device");
  EXPECT_EQ(jobs[0].priority, 2);
  EXPECT_GT(jobs[0].createdUs, 1700000000000000);
  std::vector<TaskRow> read = take(store->tasks("a"));
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].name, "conv1");
  EXPECT_EQ(read[0].text, "conv 7x7");
  EXPECT_EQ(read[0].weight, 1.5);
  EXPECT_EQ(read[1].index, 1);
  EXPECT_EQ(read[1].count, 3);
}

TEST_F(Jobs, same_key_gives_the_same_job) {
  take(store->createJob(job("a", "k"), tasks("a")));
  CreatedJob again = take(store->createJob(job("b", "k"), tasks("b")));
  EXPECT_FALSE(again.isNew);
  EXPECT_EQ(again.job.id, "a");
  EXPECT_EQ(sql("select count(*) from jobs"), "1");
  EXPECT_EQ(sql("select count(*) from tasks"), "2");
}

TEST_F(Jobs, same_key_with_another_spec_is_a_conflict) {
  take(store->createJob(job("a", "k"), tasks("a")));
  JobRow other = job("b", "k");
  other.spec = "{}";
  EXPECT_EQ(expect(Kind::Conflict, store->createJob(other, tasks("b")).takeError()),
            "project 'vision' already has a job with the idempotency key 'k' and another spec; use "
            "a new key");
  // The key belongs to its project.
  other.project = "speech";
  EXPECT_TRUE(take(store->createJob(other, tasks("b"))).isNew);
}

TEST_F(Jobs, extended_job_keeps_its_key) {
  take(store->createJob(job("a", "k"), tasks("a")));
  check(store->setJobSpec("a", R"({"trials": 900})"));
  CreatedJob again = take(store->createJob(job("b", "k"), {}));
  EXPECT_FALSE(again.isNew);
  EXPECT_EQ(again.job.spec, R"({"trials": 900})");
}

TEST_F(Jobs, repeated_creation_without_a_key_is_one_job) {
  take(store->createJob(job("a"), tasks("a")));
  EXPECT_FALSE(take(store->createJob(job("a"), tasks("a"))).isNew);
  EXPECT_TRUE(take(store->createJob(job("b"), tasks("b"))).isNew);
  JobRow other = job("a");
  other.spec = "{}";
  EXPECT_EQ(expect(Kind::Conflict, store->createJob(other, {}).takeError()),
            "job 'a' already exists with another spec; use a new id");
  EXPECT_EQ(expect(Kind::Conflict, store->createJob(job("a", "k"), {}).takeError()),
            "job 'a' already exists; use a new id");
  EXPECT_EQ(expect(Kind::Invalid, store->createJob(job(""), {}).takeError()),
            "cannot create a job without an id and a project");
}

TEST_F(Jobs, filter_selects_and_keeps_the_order) {
  for (const char *id : {"c", "a", "b"}) {
    take(store->createJob(job(id), tasks(id)));
  }
  check(store->setJobState("a", "RUNNING", "has devices"));
  check(store->setJobProgress("a", R"({"trials": 7})"));
  auto ids = [&](const JobFilter &filter) {
    std::string text;
    for (const JobRow &row : take(store->jobs(filter))) {
      text += row.id;
    }
    return text;
  };
  EXPECT_EQ(ids({}), "cab");
  EXPECT_EQ(ids({"", "", {"QUEUED", "PAUSED"}, 0}), "cb");
  EXPECT_EQ(ids({"", "", {}, 2}), "ab");
  EXPECT_EQ(ids({"", "speech", {}, 0}), "");
  JobRow running = take(store->jobs({"a", "", {}, 0}))[0];
  EXPECT_EQ(running.state, "RUNNING");
  EXPECT_EQ(running.reason, "has devices");
  EXPECT_EQ(running.progress, R"({"trials": 7})");
}

TEST_F(Jobs, unknown_names_are_errors) {
  EXPECT_EQ(expect(Kind::NotFound, store->setJobState("x", "RUNNING", "")),
            "job 'x' does not exist");
  EXPECT_EQ(expect(Kind::NotFound, store->setDeviceState("x", "drain", "")),
            "device 'x' does not exist");
  EXPECT_EQ(expect(Kind::Invalid, store->setDeviceState("x", "broken", "")),
            "cannot set the state of device 'x': expected active, drain or quarantine, got "
            "'broken'");
}

TEST_F(Jobs, projects_are_updated) {
  take(store->createJob(job("a"), {}));
  check(store->putProject({"vision", 2.5, 3600}));
  std::vector<ProjectRow> projects = take(store->projects());
  ASSERT_EQ(projects.size(), 1u);
  EXPECT_EQ(projects[0].weight, 2.5);
  EXPECT_EQ(projects[0].quotaDeviceSeconds, 3600);
}

TEST_F(Jobs, device_keeps_its_wanted_state) {
  check(store->putDevices({{"board1", "cortex-a72", "active", "", 100, "{}", 5},
                           {"board0", "cortex-a72", "active", "", 0, "{}", 5}}));
  check(store->setDeviceState("board1", "quarantine", "the sentinel drifted by 4 %"));
  check(store->putDevices({{"board1", "cortex-a72", "active", "", 104, "{}", 9},
                           {"board1", "cortex-a72", "active", "", 105, R"({"mhz": 1500})", 10}}));
  std::vector<DeviceRow> devices = take(store->devices());
  ASSERT_EQ(devices.size(), 2u);
  EXPECT_EQ(devices[1].name, "board1");
  EXPECT_EQ(devices[1].state, "quarantine");
  EXPECT_EQ(devices[1].reason, "the sentinel drifted by 4 %");
  EXPECT_EQ(devices[1].sentinelNs, 105);
  EXPECT_EQ(devices[1].notes, R"({"mhz": 1500})");
  EXPECT_EQ(devices[1].seenUs, 10);
}

TEST_F(Jobs, ledger_adds_up_and_does_not_change) {
  check(store->addUsage({{"vision", "a", "cortex-a72", 1.5, 0.5, "", 0},
                         {"vision", "a", "cortex-a72", 2, 0, "a/0/1", 0},
                         {"vision", "a", "cortex-a72", 2, 0, "a/0/1", 0}, // charged once
                         {"speech", "b", "x86", 1, 0, "", 0}}));
  std::vector<UsageTotal> totals = take(store->usage("vision"));
  ASSERT_EQ(totals.size(), 1u);
  EXPECT_EQ(totals[0].deviceSeconds, 3.5);
  EXPECT_EQ(totals[0].buildSeconds, 0.5);
  EXPECT_EQ(totals[0].rows, 2);
  EXPECT_EQ(take(store->usage()).size(), 2u);
  EXPECT_EQ(take(store->usage("", INT64_MAX)).size(), 0u);
  for (const char *change : {"delete from usage_ledger", "update usage_ledger set job = ''"}) {
    EXPECT_THROW(sql(change), pqxx::sql_error);
  }
}

} // namespace
} // namespace convoy::service::store::test
