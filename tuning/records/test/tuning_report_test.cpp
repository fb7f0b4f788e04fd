// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the page of a search: the charts, the texts, and the escaping of special characters.

#include "RecordCase.h"
#include "tuning/records/TuningReport.h"

namespace convoy::tuning {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::Pair;

class TuningReportTest : public RecordCase {
protected:
  std::string page(llvm::ArrayRef<Record> records) {
    RecordStore store = openToWrite(file("a.db"));
    get(store.append(records));
    std::string text;
    llvm::raw_string_ostream os(text);
    EXPECT_FALSE(llvm::errorToBool(
        writeTuningReport(os, store, {{taskHash("conv 3x3"), "conv <3x3> & relu"}})));
    return os.str();
  }
  static Record tiled(int number, double ns, llvm::StringRef tile) {
    Record record = sampleRecord(number, ns);
    record.configuration.text = ("#kernel.conv_direct<tile = " + tile + ", fetch = 0>").str();
    return record;
  }
};

TEST(SettingsTest, AreReadFromTheText) {
  EXPECT_THAT(settingsIn("#kernel.x<tile = [6, 2], fetch = 0, on = true>"),
              testing::ElementsAre(Pair("tile", "[6, 2]"), Pair("fetch", "0"), Pair("on", "true")));
  EXPECT_TRUE(settingsIn("").empty());
  EXPECT_TRUE(settingsIn("#kernel.x").empty());
}

TEST_F(TuningReportTest, CurvesAndKnobs) {
  std::string text = page({tiled(1, 3000, "4"), tiled(2, 1500, "12"), tiled(3, 2000, "6")});
  EXPECT_THAT(text, HasSubstr("<svg id=\"trial1\""));
  EXPECT_THAT(text, HasSubstr("<svg id=\"time1\""));
  // The tile is the only knob that was changed. Its values are sorted as numbers.
  EXPECT_THAT(text, HasSubstr("<svg id=\"knob1_1\""));
  EXPECT_THAT(text, Not(HasSubstr("knob1_2")));
  EXPECT_THAT(text, HasSubstr("conv_direct: tile"));
  size_t four = text.find(">4</text>"), twelve = text.find(">12</text>");
  EXPECT_LT(four, twelve);
  EXPECT_THAT(text, HasSubstr("2.00x")); // from 3 us to 1.5 us
}

TEST_F(TuningReportTest, CountsAreInstructions) {
  Record record = sampleRecord(1, 1500000);
  record.policy = "instructions";
  std::string text = page({record});
  EXPECT_THAT(text, HasSubstr("<p>best: 1,500,000 instructions, "));
  EXPECT_THAT(text, HasSubstr("thousand instructions"));
  EXPECT_THAT(text, Not(HasSubstr(" us")));
}

TEST_F(TuningReportTest, FailuresByClass) {
  Record crash = sampleRecord(2), late = sampleRecord(3);
  crash.outcome = Outcome::Crash;
  crash.message = "signal <11> \x1b[0m";
  crash.samples.clear();
  late.outcome = Outcome::TimeOut;
  late.message = "no answer";
  late.samples.clear();
  std::string text = page({sampleRecord(1), crash, late});
  EXPECT_THAT(text, HasSubstr("<td class=\"l\">crash</td><td>1</td><td class=\"l\">signal "
                              "&lt;11&gt; ?[0m (1)</td>"));
  EXPECT_THAT(text, HasSubstr("<td class=\"l\">time-out</td><td>1</td>"));
  EXPECT_THAT(text, HasSubstr("conv &lt;3x3&gt; &amp; relu"));
}

TEST_F(TuningReportTest, LoadsNothing) {
  std::string text = page({sampleRecord(1)});
  EXPECT_THAT(text, Not(HasSubstr("<script")));
  EXPECT_THAT(text, Not(HasSubstr("src=")));
  EXPECT_THAT(text, Not(HasSubstr("url(")));
}

TEST_F(TuningReportTest, OnlyFailures) {
  Record crash = sampleRecord(1);
  crash.outcome = Outcome::Crash;
  crash.samples.clear();
  EXPECT_THAT(page({crash}), Not(HasSubstr("<svg")));
}

} // namespace
} // namespace convoy::tuning
