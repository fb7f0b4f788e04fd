// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the outcomes of counted candidates. The emulator is a script that writes counts and copies
// the input to the output; the candidate's file decides what goes wrong.

#include "Support/OutputFile.h"
#include "tuning/measure/CountMeasurer.h"
#include "tuning/measure/ExpectedPoints.h"
#include "llvm/Support/FileSystem.h"
#include <gmock/gmock.h>

namespace convoy::tuning {
namespace {

using ::testing::HasSubstr;
namespace fs = llvm::sys::fs;

// The arguments: -plugin OPTIONS CANDIDATE INPUT OUTPUT.
constexpr char kEmulator[] = R"(#!/bin/sh
out=$(echo "$2" | sed 's/.*,out=\([^,]*\).*/\1/')
case $(cat "$3") in
  good) printf '0 7\n2 900\n3 100\ncycles 1500\n' > "$out"; cp "$4" "$5" ;;
  bad) printf '2 900\n' > "$out"; tr a b < "$4" > "$5" ;;
  short) printf '2 900\n' > "$out"; printf a > "$5" ;;
  silent) cp "$4" "$5" ;;
  crash) echo 'illegal instruction'; exit 3 ;;
  hang) sleep 60 ;;
esac
)";

class CountMeasurerTest : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::errorToBool(folder.createInSystem()));
    write("emulator", kEmulator);
    ASSERT_FALSE(fs::setPermissions(folder.file("emulator"), fs::all_read | fs::all_exe));
    write("input", "aaaa");
    Tensor expected(ElementType::U8, {4});
    std::fill_n(expected.mutableData<uint8_t>(), 4, 'a');
    llvm::cantFail(writeExpectedPoints(folder.file("points"), expected, {0, 1, 2, 3}, {},
                                       [](int64_t i) { return i; }));
    CountOptions options;
    options.target.name = "script";
    options.target.triple = "aarch64-unknown-linux-gnu";
    options.target.emulator = {folder.file("emulator")};
    options.processes = 2;
    measurer = llvm::cantFail(CountMeasurer::create(std::move(options)));
  }

  void write(const char *name, llvm::StringRef text) {
    llvm::cantFail(writeFile(folder.file(name), text));
  }

  RunnableCandidate candidate(const char *kind) {
    write(kind, kind);
    RunnableCandidate result;
    result.library = folder.file(kind);
    result.inputs = {{folder.file("input"), 4}};
    result.outputs = {{4, folder.file("points")}};
    return result;
  }

  std::vector<Measurement> measure(llvm::ArrayRef<const char *> kinds) {
    std::vector<RunnableCandidate> candidates;
    for (const char *kind : kinds) {
      candidates.push_back(candidate(kind));
    }
    MeasurePlan plan;
    plan.policy = Policy::Instructions;
    plan.timeoutMs = 100;
    return llvm::cantFail(measurer->measure(candidates, plan));
  }

  TemporaryFolder folder;
  std::unique_ptr<CountMeasurer> measurer;
};

TEST_F(CountMeasurerTest, SumsInstructionsOfTheRun) {
  Measurement one = measure({"good"}).front();
  ASSERT_EQ(one.outcome, Outcome::Ok) << one.message;
  ASSERT_EQ(one.samples.size(), 1u);
  EXPECT_EQ(one.samples[0].runs, 1);
  EXPECT_EQ(one.samples[0].wallNs, 1000) << "without the 7 instructions outside of the run";
  EXPECT_EQ(one.samples[0].cpuNs, 1500);
  EXPECT_EQ(one.ns(), 1000);
}

TEST_F(CountMeasurerTest, ReportsWhatIsWrong) {
  std::vector<Measurement> all = measure({"bad", "short", "silent", "crash", "good"});
  EXPECT_EQ(all[0].outcome, Outcome::WrongResult);
  EXPECT_EQ(all[0].message, "output 0, element 0 in memory: expects 97.00 within 0.00, got 98.00");
  EXPECT_EQ(all[1].outcome, Outcome::WrongResult);
  EXPECT_EQ(all[1].message, "output 0 has 1 bytes, expected 4");
  EXPECT_EQ(all[2].outcome, Outcome::Crash);
  EXPECT_THAT(all[2].message, HasSubstr("the emulator wrote no instruction counts"));
  EXPECT_EQ(all[3].outcome, Outcome::Crash);
  EXPECT_EQ(all[3].message, "the program ended with code 3 in the emulator: illegal instruction");
  EXPECT_EQ(all[4].outcome, Outcome::Ok) << "a failure does not affect the next candidate";
}

TEST_F(CountMeasurerTest, EndsAHangAfterSixTimesTheLimit) {
  std::vector<Measurement> all = measure({"hang", "good"});
  EXPECT_EQ(all[0].outcome, Outcome::TimeOut);
  EXPECT_EQ(all[0].message, "the emulator did not finish within 1 s");
  EXPECT_EQ(all[1].outcome, Outcome::Ok);
}

TEST(CountMeasurerCreateTest, ReportsAMissingEmulator) {
  CountOptions options;
  options.target.name = "board";
  EXPECT_EQ(llvm::toString(CountMeasurer::create(options).takeError()),
            "cannot count instructions for target 'board': its description names no emulator");
  options.target.emulator = {"no-such-emulator"};
  EXPECT_EQ(llvm::toString(CountMeasurer::create(options).takeError()),
            "cannot count instructions for target 'board': its emulator 'no-such-emulator' is not "
            "on the path; install it");
}

} // namespace
} // namespace convoy::tuning
