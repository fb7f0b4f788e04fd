// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives each test of the store an empty, migrated database on the program's PostgreSQL server.

#pragma once

#include "service/store/Store.h"
#include "tests/service/Servers.h"
#include "llvm/Support/FormatVariadic.h"
#include <pqxx/pqxx>

namespace convoy::service::store::test {

/// The server of this test program.
using service::test::Servers;

extern Servers *const kServers;

class StoreCase : public ::testing::Test {
protected:
  void SetUp() override {
    // Deleting the few rows of a test is ten times faster than creating the tables again.
    if (sql("select to_regclass('leader')").empty()) {
      check(open()->migrate());
    } else {
      sql(kDeleteRows);
    }
    store = open();
  }

  static void dropTables() { sql("drop schema public cascade; create schema public"); }

  /// Runs a statement beside the store and returns the first field of its result, or "".
  static std::string sql(const std::string &statement) {
    pqxx::connection connection;
    pqxx::nontransaction work(connection);
    pqxx::result rows = work.exec(statement);
    return rows.empty() || rows.columns() == 0 ? "" : rows[0][0].c_str();
  }

  static std::unique_ptr<Store> open() {
    StoreOptions options;
    options.reconnectSeconds = 20; // a busy machine needs long to start the server again
    return take(Store::open(options));
  }

  /// Fails the test if there is an error.
  static void check(llvm::Error error) {
    if (error) {
      FAIL() << llvm::toString(std::move(error));
    }
  }
  template <typename T>
  static T take(llvm::Expected<T> value) {
    if (!value) {
      ADD_FAILURE() << llvm::toString(value.takeError());
      return T();
    }
    return std::move(*value);
  }
  /// Expects an error of a kind and returns its text.
  static std::string expect(StoreError::Kind kind, llvm::Error error) {
    EXPECT_TRUE(static_cast<bool>(error));
    EXPECT_EQ(storeErrorKind(error), kind);
    return llvm::toString(std::move(error));
  }

  /// Makes the store the leader and creates a job "j" with two tasks and `rounds` rounds of
  /// `places` trials.
  void createTrials(int64_t rounds, int64_t places) {
    EXPECT_TRUE(take(store->tryLead()).has_value());
    take(store->createJob(job("j"), tasks("j")));
    check(store->addTrials(trials("j", rounds, places)));
  }

  static JobRow job(const std::string &id, const std::string &key = "") {
    JobRow row;
    row.id = id;
    row.project = "vision";
    row.idempotencyKey = key;
    row.spec = R"({"model": "resnet50"})";
    row.state = "QUEUED";
    row.reason = "waits for a device";
    row.priority = 2;
    return row;
  }
  static std::vector<TaskRow> tasks(const std::string &job) {
    return {{job, 0, "conv1", "conv 7x7", 1, 1.5}, {job, 1, "conv2", "conv 3x3", 3, 1}};
  }
  static std::vector<TrialRow> trials(const std::string &job, int64_t rounds, int64_t places) {
    std::vector<TrialRow> rows;
    for (int64_t round = 0; round < rounds; ++round) {
      for (int64_t place = 0; place < places; ++place) {
        TrialRow row;
        row.id = {job, round, place};
        row.task = round % 2;
        row.configuration = {"conv_direct", 2,
                             "#kernel.conv_direct<block = " + std::to_string(place) + ">", "planar",
                             "#graph.blocked<c = 16>"};
        rows.push_back(row);
      }
    }
    return rows;
  }
  /// Returns a result with a record.
  static TrialResult result(const TrialId &id) {
    TrialResult row;
    row.id = id;
    row.samples = {{10, 1000 + id.place, 1000, true}, {10, 1010, 1000, false}};
    row.sentinelNs = 77;
    row.artifact = tuning::sha256("code");
    row.builder = "builder0";
    row.device = "board3";
    row.deviceClass = "cortex-a72";
    row.buildSeconds = 0.25;
    row.measureSeconds = 0.5;
    row.record = record(id.text());
    return row;
  }
  static tuning::Record record(const std::string &trial) {
    tuning::Record row;
    row.trial = trial;
    row.taskText = "conv 3x3";
    row.target = "machine";
    row.policy = "cold-weights";
    row.configuration = {"conv_direct", 2, "#kernel.conv_direct<>", "planar", "planar"};
    row.samples = {{10, 1000, 990, true}};
    row.sentinelNs = 77;
    row.compiler = "convoy 0.2.0";
    row.artifact = tuning::sha256("code");
    row.unixUs = 1700000000000000;
    return row;
  }
  static std::vector<TrialResult> results(llvm::ArrayRef<TrialRow> trials) {
    std::vector<TrialResult> rows;
    for (const TrialRow &trial : trials) {
      rows.push_back(result(trial.id));
    }
    return rows;
  }

  static constexpr char kDeleteRows[] =
      "begin; alter table usage_ledger disable trigger user; delete from usage_ledger; "
      "delete from devices; delete from verdicts; delete from records; delete from trials; "
      "delete from tasks; delete from task_texts; delete from jobs; delete from projects; "
      "update leader set epoch = 0, holder = ''; alter table usage_ledger enable trigger user; "
      "commit";

  std::unique_ptr<Store> store;
};

} // namespace convoy::service::store::test
