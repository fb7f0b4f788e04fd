// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records and verdicts are stored without loss.

#include "StoreCase.h"
#include "tuning/records/JsonLines.h"

namespace convoy::service::store::test {
namespace {

class Records : public StoreCase {
protected:
  void SetUp() override {
    StoreCase::SetUp();
    EXPECT_TRUE(take(store->tryLead()).has_value());
  }
  std::vector<std::string> lines() {
    std::vector<std::string> lines;
    check(store->forEachRecord(
        [&](StoredRecord &&row) { lines.push_back(tuning::toJsonLine(row.record)); }));
    return lines;
  }
};

TEST_F(Records, record_is_read_back_exactly) {
  tuning::Record failed = record("b");
  failed.outcome = tuning::Outcome::BuildError;
  failed.message = "line 1\nline \"2\" \\ {3}, \xc3\xa9";
  failed.samples.clear();
  failed.taskText = "matmul";
  tuning::Added added = take(store->addRecords({failed, record("a")}));
  EXPECT_EQ(added.added, 2);
  EXPECT_EQ(lines(), (std::vector<std::string>{tuning::toJsonLine(record("a")),
                                               tuning::toJsonLine(failed)}));
}

TEST_F(Records, known_records_are_skipped) {
  take(store->addRecords({record("a")}));
  tuning::Added added = take(store->addRecords({record("a"), record("b"), record("b")}));
  EXPECT_EQ(added.added, 1);
  EXPECT_EQ(added.known, 2);
  EXPECT_EQ(sql("select count(*) from task_texts"), "1");
}

TEST_F(Records, many_records_are_streamed) {
  std::vector<tuning::Record> many;
  for (int number = 0; number < 4500; ++number) {
    many.push_back(record(llvm::formatv("{0:x-8}", number).str()));
  }
  EXPECT_EQ(take(store->addRecords(many)).added, 4500);
  std::vector<std::string> read = lines();
  ASSERT_EQ(read.size(), 4500u);
  EXPECT_EQ(read[4321], tuning::toJsonLine(many[4321]));
}

TEST_F(Records, invalid_record_is_refused) {
  tuning::Record bad = record("a");
  bad.target = "";
  EXPECT_EQ(expect(StoreError::Kind::Invalid, store->addRecords({record("b"), bad}).takeError()),
            "trial 'a': its target is empty");
  EXPECT_TRUE(lines().empty());
}

TEST_F(Records, edited_record_is_named) {
  take(store->addRecords({record("a")}));
  sql("update records set samples = 'x'");
  EXPECT_EQ(expect(StoreError::Kind::Invalid, store->forEachRecord([](StoredRecord &&) {})),
            "record a is invalid; the database may have been edited; remove it");
}

TEST_F(Records, verdict_is_read_back) {
  tuning::Verdict verdict;
  verdict.id = "v1";
  verdict.network = "n";
  verdict.target = "machine";
  verdict.templates = "conv_direct 1";
  verdict.policy = "cold-weights";
  verdict.keepsDefault = true;
  verdict.passedOver = {{tuning::sha256("t"), std::nullopt}};
  verdict.samples = {{10, 12}};
  verdict.unixUs = 5;
  check(store->addVerdicts({verdict}));
  check(store->addVerdicts({verdict}));
  std::vector<tuning::Verdict> read = take(store->verdicts());
  ASSERT_EQ(read.size(), 1u);
  EXPECT_EQ(tuning::toJsonLine(read[0]), tuning::toJsonLine(verdict));
  sql("update verdicts set content = '[]'");
  EXPECT_EQ(expect(StoreError::Kind::Invalid, store->verdicts().takeError()),
            "verdict v1 is invalid; the database may have been edited; remove it");
}

} // namespace
} // namespace convoy::service::store::test
