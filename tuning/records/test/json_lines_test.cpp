// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests export and import.

#include "RecordCase.h"

namespace convoy::tuning {
namespace {

using testing::HasSubstr;

class JsonLinesTest : public RecordCase {
protected:
  std::string importError(llvm::StringRef text) {
    RecordStore store = openToWrite(file("in.db"));
    std::string error = errorOf(importLines(store, text, "in.jsonl"));
    EXPECT_TRUE(trialsIn(store).empty());
    return error;
  }
};

TEST_F(JsonLinesTest, ExportAndImportGiveTheSameText) {
  RecordStore a = openToWrite(file("a.db")), b = openToWrite(file("b.db"));
  Record failed = sampleRecord(3);
  failed.outcome = Outcome::BuildError;
  failed.samples.clear();
  failed.message = "line 1\nline \"2\" \\ \xc3\xa9";
  get(a.append({sampleRecord(2), sampleRecord(1), failed}));
  std::string text = exported(a);
  EXPECT_EQ(get(importLines(b, text, "a.jsonl")).added, 3);
  EXPECT_EQ(exported(b), text);
  EXPECT_EQ(get(importLines(b, text + text, "twice")).known, 6);
}

TEST_F(JsonLinesTest, ErrorsNameTheLineAndImportNothing) {
  std::string good = toJsonLine(sampleRecord(1)) + "\n";
  EXPECT_THAT(
      importError(good + "{\"trial\": 1}\n"),
      HasSubstr("'in.jsonl', line 2: expected 'trial' to be a string; nothing was imported"));
  EXPECT_THAT(importError(good + "\n[]\n"),
              HasSubstr("line 3: expected a JSON object on each line"));
  EXPECT_THAT(importError(good + "{"), HasSubstr("line 2"));
  EXPECT_THAT(importError("{\"convoy-records\": 99}\n" + good),
              HasSubstr("these records have version 99, but this convoy reads versions up to 2"));
}

TEST_F(JsonLinesTest, RefusesWhatNoTrialCanBe) {
  auto with = [&](llvm::StringRef from, llvm::StringRef to) {
    std::string line = toJsonLine(sampleRecord(1));
    size_t at = line.find(from.str());
    EXPECT_NE(at, std::string::npos) << from.str();
    return line.replace(at, from.size(), to.str());
  };
  EXPECT_THAT(importError(with("[10,", "[0,")), HasSubstr("expected at least one run"));
  EXPECT_THAT(importError(with("[10,", "[-1,")), HasSubstr("none below 0"));
  EXPECT_THAT(importError(with("\"ok\"", "\"fine\"")), HasSubstr("one of ok, build-error"));
  EXPECT_THAT(importError(with("\"conv 3x3\"", "\"\"")), HasSubstr("its task is empty"));
  EXPECT_THAT(importError(with("\"version\":2", "\"version\":4294967298")),
              HasSubstr("expected 'version' to be an integer of 32 bits"));
}

} // namespace
} // namespace convoy::tuning
