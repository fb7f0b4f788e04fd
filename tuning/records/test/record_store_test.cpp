// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests adding, finding, merging and pruning records.

#include "RecordCase.h"
#include "tuning/space/Task.h"

namespace convoy::tuning {
namespace {

using testing::HasSubstr;

class RecordStoreTest : public RecordCase {};

TEST_F(RecordStoreTest, KeepsEveryField) {
  Record record = sampleRecord(1);
  record.outcome = Outcome::WrongResult;
  record.message = "point 7: expects 0.5, got 0.75";
  record.sentinelNs = 12345;
  record.samples[1].isClean = false;
  RecordStore store = openToWrite(file("a.db"));
  EXPECT_EQ(get(store.append({record})).added, 1);
  std::vector<Record> found = get(store.find(record.key()));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(toJsonLine(found[0]), toJsonLine(record));
  EXPECT_EQ(found[0].configuration, record.configuration);
}

TEST_F(RecordStoreTest, TaskHashIsTheKeyOfATask) {
  EXPECT_EQ(taskHash("conv 3x3"), (Task{"conv 3x3", "any name"}).key());
}

TEST_F(RecordStoreTest, AnotherKeyIsAMiss) {
  RecordStore store = openToWrite(file("a.db"));
  Record record = sampleRecord(1);
  get(store.append({record}));
  RecordKey key = record.key();
  EXPECT_EQ(get(store.find(key)).size(), 1u);
  for (int field = 0; field < 5; ++field) {
    RecordKey other = key;
    std::string *texts[] = {&other.task, &other.target, &other.templateId, &other.policy};
    if (field < 4) {
      *texts[field] += "x";
    } else {
      other.templateVersion = 3;
    }
    EXPECT_TRUE(get(store.find(other)).empty()) << field;
  }
}

TEST_F(RecordStoreTest, AppendsAllOrNone) {
  RecordStore store = openToWrite(file("a.db"));
  Record bad = sampleRecord(2);
  bad.samples.clear();
  EXPECT_THAT(errorOf(store.append({sampleRecord(1), bad})),
              HasSubstr("its outcome is ok, but it has no clean sample"));
  EXPECT_TRUE(trialsIn(store).empty());
}

TEST_F(RecordStoreTest, RecordsNeverChange) {
  RecordStore store = openToWrite(file("a.db"));
  get(store.append({sampleRecord(1)}));
  EXPECT_THAT(errorOfOtherProgram(file("a.db"), "UPDATE trial SET outcome = 'crash'"),
              HasSubstr("records are append-only"));
}

TEST_F(RecordStoreTest, RefusesTextThatIsNotUtf8) {
  RecordStore store = openToWrite(file("a.db"));
  get(store.append({sampleRecord(1)}));
  EXPECT_EQ(errorOfOtherProgram(
                file("a.db"),
                "INSERT INTO trial SELECT 'edited', task, target, template, version, policy, "
                "configuration, input_layout, output_layout, outcome, message, samples, "
                "sentinel_ns, CAST(x'ff' AS TEXT), artefact, unix_us FROM trial"),
            "");
  EXPECT_THAT(errorOf(store.find(sampleRecord(1).key())),
              HasSubstr("trial edited is invalid; the file may have been edited"));
}

TEST_F(RecordStoreTest, TheSameTrialIsKnownAnotherWithItsNameIsRefused) {
  RecordStore store = openToWrite(file("a.db"));
  get(store.append({sampleRecord(1)}));
  Added again = get(store.append({sampleRecord(1), sampleRecord(2)}));
  EXPECT_EQ(again.added, 1);
  EXPECT_EQ(again.known, 1);
  EXPECT_THAT(errorOf(store.append({sampleRecord(3), sampleRecord(1, 7000)})),
              HasSubstr("with different content"));
  EXPECT_EQ(trialsIn(store).size(), 2u);
}

TEST_F(RecordStoreTest, MergeIsTheUnion) {
  RecordStore a = openToWrite(file("a.db")), b = openToWrite(file("b.db"));
  get(a.append({sampleRecord(1), sampleRecord(2)}));
  get(b.append({sampleRecord(2), sampleRecord(3)}));
  Added added = get(a.merge(b));
  EXPECT_EQ(added.added, 1);
  EXPECT_EQ(added.known, 1);
  get(b.merge(a));
  EXPECT_EQ(exported(a), exported(b));
  EXPECT_EQ(trialsIn(a).size(), 3u);
}

/// Six trials: 1 is old, 2 failed, 3 has a stale version, 4 to 6 are ok.
std::vector<Record> recordsToPrune() {
  std::vector<Record> records;
  for (int i = 1; i <= 6; ++i) {
    records.push_back(sampleRecord(i, 1000 - i));
  }
  records[0].unixUs = 5;
  records[1].outcome = Outcome::Crash;
  records[2].configuration.templateVersion = 1;
  records[2].taskText = "only here";
  return records;
}

class PruneTest : public RecordCase {
protected:
  std::string kept(const PruneRule &rule) {
    RecordStore store = openToWrite(file("a.db"));
    get(store.append(recordsToPrune()));
    removed = get(store.prune(rule));
    std::string text;
    for (const std::string &trial : trialsIn(store)) {
      text += trial.back();
    }
    return text;
  }
  int64_t removed = 0;
};

TEST_F(PruneTest, NothingWithoutARule) { EXPECT_EQ(kept({}), "123456"); }

TEST_F(PruneTest, OldOnes) {
  PruneRule rule;
  rule.olderThanUs = 6;
  EXPECT_EQ(kept(rule), "23456");
}

TEST_F(PruneTest, FailedOnes) {
  PruneRule rule;
  rule.isFailed = true;
  EXPECT_EQ(kept(rule), "13456");
}

TEST_F(PruneTest, StaleOnesAndTheirTasks) {
  PruneRule rule;
  rule.isStale = true;
  EXPECT_EQ(kept(rule), "12456");
  auto database = get(Database::open(file("a.db"), Database::Access::Read));
  EXPECT_EQ(get(database->number("SELECT count(*) FROM task")), 1);
}

TEST_F(PruneTest, AllButTheFastestOfEachKey) {
  PruneRule rule;
  rule.keepFastest = 2;
  EXPECT_EQ(kept(rule), "2356"); // A failed trial is neither fast nor slow.
  EXPECT_EQ(removed, 2);
}

TEST_F(PruneTest, DryRunOnlyCounts) {
  PruneRule rule;
  rule.isFailed = rule.isStale = rule.isDryRun = true;
  EXPECT_EQ(kept(rule), "123456");
  EXPECT_EQ(removed, 2);
}

} // namespace
} // namespace convoy::tuning
