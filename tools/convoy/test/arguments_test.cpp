// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is the same in all verbs: spelling suggestions, --json[=FILE], --quiet, --report and -o,
// and the words of the help.

#include "tools/convoy/test/DriverCase.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace convoy;
using namespace convoy::tool;

namespace {

struct ArgumentsTest : tool::test::DriverCase {
  std::string relu() { return model(convoy::test::unaryModel("Relu", {"1", "3"})); }

  std::string read(const std::string &path) {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    return buffer ? (*buffer)->getBuffer().str() : "";
  }
};

TEST_F(ArgumentsTest, SuggestsSpellings) {
  struct Case {
    std::vector<std::string> arguments;
    std::string error;
  };
  const Case cases[] = {
      {{"complie"}, "error: unknown verb 'complie'; did you mean compile?\n"},
      {{"records", "lst", "a.db"},
       "error: unknown verb 'lst'; did you mean list?\nsee `convoy records --help`\n"},
      {{"run", "a.onnx", "--inptu", "random"},
       "error: unknown flag --inptu; did you mean --input?\nsee `convoy run --help`\n"},
      {{"compile", "a.onnx", "--thread=4"},
       "error: unknown flag --thread; did you mean --threads?\nsee `convoy compile --help`\n"},
      {{"run", "--zzz", "a.onnx"}, "error: unknown flag --zzz\nsee `convoy run --help`\n"},
      {{"inspect", "a.onnx", "b.onnx"},
       "error: unexpected argument 'b.onnx'\nsee `convoy inspect --help`\n"},
      {{"run", "a.onnx", "--color", "rbg"},
       "error: --color: expected rgb, bgr or gray, got 'rbg'\nsee `convoy run --help`\n"},
      {{"compile", "a.onnx", "--emit=libary"},
       "error: --emit: expected library, c or program, got 'libary'; did you mean library?\n"
       "see `convoy compile --help`\n"},
      {{"compile", "m.onnx", "--place", "fast"},
       "error: --place: expected all or fastest, got 'fast'; did you mean fastest?\n"
       "see `convoy compile --help`\n"},
      {{"compile", "m.onnx", "--optimize", "speed"},
       "error: --optimize: expected latency or memory, got 'speed'\n"
       "see `convoy compile --help`\n"},
      {{"compile", "a.onnx", "--target"},
       "error: --target: expected a value (NAME), got none\nsee `convoy compile --help`\n"},
      {{"compile", "a.onnx", "--threads=1", "--threads=2"},
       "error: --threads: expected once, got 2 times\nsee `convoy compile --help`\n"},
      {{"compile", "a.onnx", "--deadline", "5mss"},
       "error: --deadline: expected a duration such as 25ms, 10s or 10m, got '5mss'\n"
       "see `convoy compile --help`\n"}};
  for (const Case &test : cases) {
    EXPECT_EQ(convoy(test.arguments), kUserError);
    EXPECT_EQ(err, test.error);
    EXPECT_EQ(out, "");
  }
}

TEST_F(ArgumentsTest, SuggestsTargets) {
  EXPECT_EQ(convoy({"compile", relu(), "--target", "nvdla-smal"}), kUserError);
  EXPECT_EQ(err.rfind("error: --target: unknown target 'nvdla-smal'; did you mean nvdla-small? "
                      "expected one of host, ",
                      0),
            0U)
      << err;
  EXPECT_EQ(err.find("reference"), std::string::npos) << err;
  EXPECT_EQ(convoy({"explain", relu(), "--target", "bm1881"}), kUserError);
  EXPECT_EQ(err.rfind("error: --target: unknown target 'bm1881'; did you mean bm1880? expected "
                      "one of host, ",
                      0),
            0U)
      << err;
}

TEST_F(ArgumentsTest, AcceptsDurationsAndWarnsOfMissingUnits) {
  // `host` has no power states: the values are read, then the target refuses.
  for (const char *deadline : {"5ms", "5", "0.005s"}) {
    EXPECT_EQ(convoy({"compile", relu(), "--threads=2", "--deadline", deadline, "-o",
                      folder.file("out")}),
              kUserError);
    std::string warning = llvm::StringRef(deadline) != "5"
                              ? ""
                              : "warning: --deadline 5 without a unit is deprecated and ends with "
                                "version 0.4; write --deadline 5ms\n";
    EXPECT_EQ(err.rfind(warning + "error: --deadline chooses among power states", 0), 0U) << err;
  }
  EXPECT_EQ(convoy({"tune", relu(), "--list-tasks", "--time=90s", "--target-latency=25ms",
                    "--timeout=2s", "--wait=0"}),
            kDone)
      << err;
}

/// Every verb with arguments that succeed.
std::vector<std::vector<std::string>>
workingCommands(const std::string &model, const std::string &device, const std::string &folder) {
  return {{"compile", model, "-o", folder},
          {"run", model, "--input=random"},
          {"check", model},
          {"bench", model, "--repetitions=1"},
          {"tune", model, "--list-tasks"},
          {"explain", model},
          {"explain", model, "--target=abstract"},
          {"sweep", device, "--target=abstract"},
          {"inspect", model},
          {"ops"},
          {"targets"},
          {"--version"}};
}

TEST_F(ArgumentsTest, EveryVerbPrintsOrWritesJson) {
  std::string path = relu(), file = folder.file("result.json");
  for (std::vector<std::string> arguments :
       workingCommands(path, quantizedConv(), folder.file("out"))) {
    SCOPED_TRACE(arguments[0]);
    // A positional argument may follow the flag.
    arguments.insert(arguments.begin() + 1, "--json");
    EXPECT_EQ(convoy(arguments), kDone) << err;
    EXPECT_TRUE(bool(llvm::json::parse(out))) << out;
    arguments[1] = "--json=" + file;
    EXPECT_EQ(convoy(arguments), kDone) << err;
    EXPECT_FALSE(out.empty());
    llvm::Expected<llvm::json::Value> written = llvm::json::parse(read(file));
    EXPECT_TRUE(bool(written)) << llvm::toString(written.takeError());
    arguments[1] = "--json=/proc/none/result.json";
    EXPECT_EQ(convoy(arguments), kUserError);
    EXPECT_NE(err.find("error: --json: "), std::string::npos) << err;
    [[maybe_unused]] std::error_code error = llvm::sys::fs::remove(file);
  }
}

TEST_F(ArgumentsTest, BenchStillReadsTheOldForm) {
  std::string path = relu(), file = folder.file("old.json");
  EXPECT_EQ(convoy({"bench", path, "--repetitions=1", "--json", file}), kDone) << err;
  EXPECT_EQ(err, "warning: `--json FILE` is deprecated and ends with version 0.3; write --json=" +
                     file + "\n");
  EXPECT_TRUE(bool(llvm::json::parse(read(file))));
  EXPECT_EQ(convoy({"bench", "--json", path, "--repetitions=1"}), kDone) << err;
  EXPECT_EQ(err, "");
  EXPECT_TRUE(bool(llvm::json::parse(out))) << out;
}

TEST_F(ArgumentsTest, QuietLeavesOutSummaries) {
  std::string path = relu();
  EXPECT_EQ(convoy({"compile", path, "-o", folder.file("out"), "--quiet"}), kDone) << err;
  EXPECT_EQ(out + err, "");
  EXPECT_EQ(convoy({"run", path, "--input=random", "--target=reference", "--quiet"}), kDone);
  EXPECT_EQ(out.find("ran model"), std::string::npos) << out;
  EXPECT_EQ(out.rfind("y: float 1x3\n", 0), 0U) << out;
  EXPECT_EQ(convoy({"check", path, "--quiet"}), kDone);
  EXPECT_EQ(out + err, "");
  EXPECT_EQ(convoy({"run", path, "--quiet"}), kUserError);
  EXPECT_NE(err, "");
  for (const std::vector<std::string> &arguments :
       workingCommands(path, quantizedConv(), folder.file("out"))) {
    std::vector<std::string> quiet = arguments;
    quiet.push_back("--quiet");
    EXPECT_EQ(convoy(quiet), kDone) << arguments[0] << ": " << err;
  }
}

TEST_F(ArgumentsTest, ReportAndOutputHaveOneSpellingAndKeepTheOldOnes) {
  std::string path = relu();
  for (const char *flag : {"--report", "--schedule-report"}) {
    std::string page = folder.file(std::string(flag) + ".html");
    EXPECT_EQ(convoy({"compile", path, "--threads=2", flag, page, "-o", folder.file("out")}), kDone)
        << err;
    EXPECT_NE(read(page).find("<svg"), std::string::npos);
  }
  for (const char *flag : {"--report", "--html", "-o", "--output"}) {
    std::string page = folder.file(std::string(flag) + "sweep.html");
    EXPECT_EQ(convoy({"sweep", quantizedConv(), "--target=abstract", flag, page}), kDone) << err;
    EXPECT_NE(read(page), "") << flag;
  }
  for (const char *flag : {"-o", "--output"}) {
    std::string place = folder.file(std::string("run") + flag);
    EXPECT_EQ(convoy({"run", path, "--input=random", flag, place}), kDone) << err;
    EXPECT_NE(read(place + "/y.npy"), "") << flag;
  }
}

// The verbs that a help text may begin with.
const char *const kVerbs =
    " Abandon Add Allow Ask Assign Change Check Choose Compare Compile "
    "Compute Continue Convert Count Create Crop "
    "Declare Describe Distribute Divide Draw Emit End Estimate Fail Give Instrument "
    "Keep Leave Let Link List Look "
    "Load Measure Merge Multiply Name Place Predict Print Propose Prove Quantize Raise Rank "
    "Read Remove Replace Report "
    "Require Resize Round Run Schedule Search Seed Set Show Shrink Simulate Split Start Stop Store "
    "Subtract Take Tile Try Tune "
    "Use Verify Wait Write ";

TEST_F(ArgumentsTest, HelpBeginsWithAVerbAndEndsWithAFullStop) {
  std::vector<FlagDescription> flags = describeFlags();
  EXPECT_GT(flags.size(), 150U);
  for (const FlagDescription &flag : flags) {
    SCOPED_TRACE(flag.verb + " " + flag.name + ": " + flag.help);
    std::string first = llvm::StringRef(flag.help).split(' ').first.rtrim(',').str();
    EXPECT_TRUE(llvm::StringRef(kVerbs).contains(" " + first + " "));
    EXPECT_TRUE(llvm::StringRef(flag.help).ends_with("."));
    bool isHelp = flag.name.rfind("--help", 0) == 0 || flag.name == "--version";
    bool isVerb = flag.name.empty() && flag.help.find("(required") == std::string::npos;
    EXPECT_TRUE(isHelp || isVerb || flag.help.find("(default: ") != std::string::npos ||
                flag.help.find("(required") != std::string::npos);
  }
}

TEST_F(ArgumentsTest, HelpHidesTheWordsOfTheParser) {
  for (const FlagDescription &flag : describeFlags()) {
    std::vector<std::string> command = {"--help-all"};
    llvm::SmallVector<llvm::StringRef> words;
    llvm::StringRef(flag.verb).split(words, ' ', -1, /*KeepEmpty=*/false);
    for (llvm::StringRef word : llvm::reverse(words)) {
      command.insert(command.begin(), word.str());
    }
    if (!flag.name.empty() || flag.verb.empty()) {
      continue; // once per verb
    }
    EXPECT_EQ(convoy(command), kDone) << err;
    for (const char *word : {":INT", "POSITIVE", " in [", "FLOAT", "REQUIRED", "SUBCOMMAND", "TEXT",
                             "Positionals", "{-}", ":{"}) {
      EXPECT_EQ(out.find(word), std::string::npos) << flag.verb << ": " << word << "\n" << out;
    }
  }
}

} // namespace
