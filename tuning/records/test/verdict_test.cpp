// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests verdicts: storage, exchange, and their effect on a compilation of the network.

#include "RecordCase.h"
#include "tuning/records/Snapshot.h"

namespace convoy::tuning {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Selection kSelection{"machine", "cold-weights", {{"conv_direct", 2}, {"winograd", 1}}};

Record candidate(int number, llvm::StringRef text, double ns) {
  Record record = sampleRecord(number, ns);
  record.configuration.text = text.str();
  return record;
}

Verdict sampleVerdict(llvm::StringRef network = "net") {
  Verdict verdict;
  verdict.id = newTrialId();
  verdict.network = network.str();
  verdict.target = "machine";
  verdict.templates = templatesText(kSelection.templateVersions);
  verdict.policy = "cold-weights";
  verdict.samples = {{1000, 900}, {1010, 905}};
  verdict.compiler = "convoy 0.1.0";
  verdict.unixUs = 1700000000000000;
  return verdict;
}

class VerdictTest : public RecordCase {
protected:
  RecordStore storeWith(llvm::ArrayRef<Verdict> verdicts) {
    RecordStore store = openToWrite(file("a.db"));
    get(store.append({candidate(1, "a", 100), candidate(2, "b", 110), candidate(3, "c", 150)},
                     verdicts));
    return store;
  }
  /// Returns the configurations that a compilation of a network uses for the task, fastest
  /// first.
  static std::vector<std::string> chosen(RecordStore &store, llvm::StringRef network = "net") {
    Snapshot snapshot = get(Snapshot::read(store, kSelection));
    std::vector<std::string> texts;
    for (const RankedConfiguration &choice : snapshot.choices(kTask, snapshot.verdict(network))) {
      texts.push_back(choice.configuration.text);
    }
    return texts;
  }

  inline static const std::string kTask = taskHash("conv 3x3");
};

TEST_F(VerdictTest, WithoutOneTheFastestIsTaken) {
  RecordStore store = storeWith({});
  EXPECT_THAT(chosen(store), ElementsAre("a"));
}

TEST_F(VerdictTest, OneThatIsPassedOverLeavesItsPlaceToTheNext) {
  Verdict verdict = sampleVerdict();
  verdict.passedOver = {{kTask, candidate(1, "a", 100).configuration}};
  RecordStore store = storeWith({verdict});
  EXPECT_THAT(chosen(store), ElementsAre("b"));
  EXPECT_THAT(chosen(store, "another network"), ElementsAre("a"));
}

TEST_F(VerdictTest, AWholeTaskOrNetworkKeepsTheDefault) {
  Verdict verdict = sampleVerdict();
  verdict.passedOver = {{kTask, std::nullopt}};
  Verdict whole = sampleVerdict("whole");
  whole.keepsDefault = true;
  RecordStore store = storeWith({verdict, whole});
  EXPECT_THAT(chosen(store), ElementsAre());
  EXPECT_THAT(chosen(store, "whole"), ElementsAre());
}

TEST_F(VerdictTest, TheLastOneCountsAndOthersTemplatesDoNot) {
  Verdict first = sampleVerdict(), second = sampleVerdict(), stale = sampleVerdict();
  first.keepsDefault = true;
  second.unixUs += 1;
  stale.unixUs += 2;
  stale.templates = "conv_direct 1, winograd 1";
  stale.keepsDefault = true;
  RecordStore store = storeWith({first, second, stale});
  EXPECT_THAT(chosen(store), ElementsAre("a"));
}

TEST_F(VerdictTest, TravelsWithTheRecords) {
  Verdict verdict = sampleVerdict();
  verdict.passedOver = {{kTask, candidate(1, "a", 100).configuration}, {"other", std::nullopt}};
  RecordStore store = storeWith({verdict});
  RecordStore imported = openToWrite(file("b.db")), merged = openToWrite(file("c.db"));
  get(importLines(imported, exported(store), "text"));
  get(merged.merge(imported));
  EXPECT_EQ(exported(merged), exported(store));
  EXPECT_EQ(get(merged.append({}, {verdict})).known, 1);
  EXPECT_EQ(get(Snapshot::read(merged, kSelection)).hash(),
            get(Snapshot::read(store, kSelection)).hash());
  EXPECT_THAT(chosen(merged), ElementsAre("b"));
}

TEST_F(VerdictTest, ChangesTheHash) {
  RecordStore store = storeWith({});
  std::string before = get(Snapshot::read(store, kSelection)).hash();
  get(store.append({}, {sampleVerdict()}));
  EXPECT_NE(get(Snapshot::read(store, kSelection)).hash(), before);
}

TEST_F(VerdictTest, IsNeverChanged) {
  Verdict verdict = sampleVerdict();
  RecordStore store = storeWith({verdict});
  verdict.keepsDefault = true;
  EXPECT_THAT(errorOf(store.append({}, {verdict})), HasSubstr("with different content"));
  EXPECT_THAT(errorOfOtherProgram(file("a.db"), "UPDATE verdict SET choice = 'default'"),
              HasSubstr("append-only"));
}

TEST_F(VerdictTest, WrongLinesAreRefused) {
  RecordStore store = storeWith({});
  std::string good = toJsonLine(sampleVerdict());
  auto importError = [&](llvm::StringRef from, llvm::StringRef to) {
    std::string text = good;
    size_t place = text.find(from.str());
    EXPECT_NE(place, std::string::npos);
    text.replace(place, from.size(), to.str());
    return errorOf(importLines(store, text, "text"));
  };
  EXPECT_THAT(importError("\"tuned\"", "\"both\""), HasSubstr("'choice', tuned or default"));
  EXPECT_THAT(importError("[[1000", "[[0"), HasSubstr("two times above 0"));
  EXPECT_THAT(importError("\"passedOver\":[]", "\"passedOver\":[[1]]"),
              HasSubstr("expected 'passedOver' to be a list of"));
  EXPECT_THAT(importError("\"network\"", "\"net\""),
              HasSubstr("expected 'network' to be a string"));
  EXPECT_TRUE(get(store.verdicts()).empty());
}

TEST_F(VerdictTest, FilesOfVersionOneAreReadAndBroughtForward) {
  storeWith({});
  {
    auto database = get(Database::open(file("a.db"), Database::Access::Write));
    ASSERT_FALSE(
        llvm::errorToBool(database->execute("DROP TABLE verdict; PRAGMA user_version = 1")));
  }
  RecordStore old = openToRead(file("a.db"));
  EXPECT_THAT(chosen(old), ElementsAre("a"));
  RecordStore store = openToWrite(file("a.db"));
  Verdict verdict = sampleVerdict();
  verdict.keepsDefault = true;
  EXPECT_EQ(get(store.append({}, {verdict})).added, 1);
  EXPECT_THAT(chosen(store), ElementsAre());
}

TEST_F(VerdictTest, RefusesTextThatIsNotUtf8) {
  RecordStore store = storeWith({sampleVerdict()});
  EXPECT_EQ(errorOfOtherProgram(file("a.db"),
                                "INSERT INTO verdict SELECT 'edited', network, CAST(x'ff' AS "
                                "TEXT), templates, policy, choice, passed_over, samples, compiler, "
                                "unix_us FROM verdict"),
            "");
  EXPECT_THAT(errorOf(store.verdicts()),
              HasSubstr("verdict edited is invalid; the file may have been edited"));
}

} // namespace
} // namespace convoy::tuning
