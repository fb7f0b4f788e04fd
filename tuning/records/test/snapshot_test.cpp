// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the choices of a compilation from records, and the hash of the records.

#include "RecordCase.h"
#include "tuning/records/Snapshot.h"
#include "llvm/Support/FileSystem.h"
#include <algorithm>
#include <random>

namespace convoy::tuning {
namespace {

const Selection kSelection{"machine", "cold-weights", {{"conv_direct", 2}, {"winograd", 1}}};

Record candidate(int number, llvm::StringRef text, double ns,
                 llvm::StringRef outputLayout = "planar") {
  Record record = sampleRecord(number, ns);
  record.configuration.text = text.str();
  record.configuration.outputLayout = outputLayout.str();
  return record;
}

class SnapshotTest : public RecordCase {
protected:
  Snapshot read(llvm::ArrayRef<Record> records) {
    RecordStore store = openToWrite(file("a.db"));
    get(store.append(records));
    return get(Snapshot::read(store, kSelection));
  }
  static std::string chosen(const Snapshot &snapshot, llvm::StringRef outputLayout = "planar") {
    const RankedConfiguration *choice = snapshot.find(taskHash("conv 3x3"), "planar", outputLayout);
    return choice ? choice->configuration.text : "none";
  }
};

TEST_F(SnapshotTest, FastestPerPairOfLayouts) {
  Snapshot snapshot = read({candidate(1, "a", 300), candidate(2, "b", 200),
                            candidate(3, "c", 100, "nhwc"), candidate(4, "d", 150, "nhwc")});
  EXPECT_EQ(chosen(snapshot), "b");
  EXPECT_EQ(chosen(snapshot, "nhwc"), "c");
  EXPECT_EQ(chosen(snapshot, "other"), "none");
  EXPECT_EQ(snapshot.choices(taskHash("conv 3x3")).size(), 2u);
  EXPECT_TRUE(snapshot.choices("unknown").empty());
  EXPECT_EQ(snapshot.find(taskHash("conv 3x3"), "planar", "planar")->ns, 200);
}

TEST_F(SnapshotTest, TiesGoToTheFirstText) {
  EXPECT_EQ(chosen(read({candidate(1, "b", 200), candidate(2, "a", 200)})), "a");
}

TEST_F(SnapshotTest, TemplatesCompeteStaleOnesDoNot) {
  Record winograd = candidate(1, "w", 100), stale = candidate(2, "s", 50),
         foreign = candidate(3, "f", 40), direct = candidate(4, "d", 200);
  winograd.configuration.templateId = "winograd";
  winograd.configuration.templateVersion = 1;
  stale.configuration.templateVersion = 1;
  foreign.target = "another machine";
  EXPECT_EQ(chosen(read({winograd, stale, foreign, direct})), "w");
}

TEST_F(SnapshotTest, WrongOnceIsWrongForEver) {
  Record wrong = candidate(2, "a", 100);
  wrong.outcome = Outcome::WrongResult;
  wrong.samples.clear();
  EXPECT_EQ(chosen(read({candidate(1, "a", 100), wrong, candidate(3, "b", 200)})), "b");
}

TEST_F(SnapshotTest, OneTimeOutDoesNotRuleOut) {
  Record late = candidate(2, "a", 100);
  late.outcome = Outcome::TimeOut;
  late.samples.clear();
  EXPECT_EQ(chosen(read({candidate(1, "a", 100), late, candidate(3, "b", 200)})), "a");
}

TEST_F(SnapshotTest, DisturbedSamplesDoNotCount) {
  Record lucky = candidate(1, "a", 300);
  lucky.samples.push_back({10, 10, 10, false});
  lucky.samples.push_back({10, 10, 10, false});
  lucky.samples.push_back({10, 10, 10, false});
  EXPECT_EQ(chosen(read({lucky, candidate(2, "b", 200)})), "b");
}

TEST_F(SnapshotTest, HashNamesTheRecordsNotTheirOrder) {
  std::vector<Record> records;
  for (int i = 0; i < 50; ++i) {
    records.push_back(candidate(i, "c" + std::to_string(i % 7), 100 + (i * 37) % 50));
  }
  Snapshot first = read(records);
  std::shuffle(records.begin(), records.end(), std::mt19937(7));
  RecordStore other = openToWrite(file("b.db"));
  for (const Record &record : records) {
    get(other.append({record}));
  }
  Snapshot second = get(Snapshot::read(file("b.db"), kSelection));
  EXPECT_EQ(first.hash(), second.hash());
  EXPECT_EQ(chosen(first), chosen(second));
  EXPECT_EQ(first.recordCount(), 50);
  get(other.append({sampleRecord(99)}));
  EXPECT_NE(get(Snapshot::read(file("b.db"), kSelection)).hash(), first.hash());
}

TEST_F(SnapshotTest, ReadsWhereNothingMayBeWritten) {
  Snapshot before = read({candidate(1, "a", 100)}); // Closing the store removed its log.
  std::string locked = file("locked");
  ASSERT_FALSE(llvm::sys::fs::create_directory(locked));
  ASSERT_FALSE(llvm::sys::fs::copy_file(file("a.db"), locked + "/a.db"));
  llvm::sys::fs::setPermissions(locked, llvm::sys::fs::perms(0555));
  EXPECT_EQ(get(Snapshot::read(locked + "/a.db", kSelection)).hash(), before.hash());
  llvm::sys::fs::setPermissions(locked, llvm::sys::fs::perms(0755));
}

} // namespace
} // namespace convoy::tuning
