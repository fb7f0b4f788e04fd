// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the comparison of two saved benchmarks: verdicts, unmatched rows, and the text of errors.

#include "Support/test/TestFolder.h"
#include "timing/BenchCompare.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <gtest/gtest.h>

using namespace convoy;
using namespace convoy::timing;

namespace {

struct BenchCompareTest : ::testing::Test {
  /// Returns a row whose samples are `ms`, up to 1 %.
  static llvm::json::Object row(const std::string &model, double ms, double peak = 100,
                                int64_t threads = 1) {
    llvm::json::Array samples;
    for (int i = -10; i <= 10; ++i) {
      samples.push_back(ms * (1 + i / 1000.0));
    }
    return llvm::json::Object{{"model", model},
                              {"threads", threads},
                              {"built", llvm::json::Object{{"target", "host"}}},
                              {"samples_ms", std::move(samples)},
                              {"peak_gflops", peak}};
  }

  std::string write(const std::string &name, std::initializer_list<llvm::json::Value> rows) {
    return folder.write(name,
                        llvm::formatv("{0}", llvm::json::Value(llvm::json::Array(rows))).str());
  }

  std::string errorOf(const std::string &a, const std::string &b) {
    llvm::Expected<BenchComparison> result = compareBenches(a, b);
    return result ? "" : llvm::toString(result.takeError());
  }

  test::TemporaryFolder folder;
};

TEST_F(BenchCompareTest, GivesAVerdictPerRow) {
  std::string a = write("a.json", {row("up", 10), row("down", 10), row("same", 10)});
  std::string b = write("b.json", {row("same", 10.01), row("up", 12), row("down", 8)});
  llvm::Expected<BenchComparison> result = compareBenches(a, b);
  ASSERT_TRUE(bool(result)) << llvm::toString(result.takeError());
  EXPECT_TRUE(result->warnings.empty());
  std::string text;
  llvm::raw_string_ostream os(text);
  printComparison(os, *result);
  EXPECT_NE(
      text.find("model                   before ms  after ms  ratio   95 % interval  verdict\n"
                "up on host, 1 thread        10.00     12.00  1.200  "),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("  slower\ndown on host, 1 thread "), std::string::npos) << text;
  EXPECT_NE(text.find("  faster\nsame on host, 1 thread "), std::string::npos) << text;
  EXPECT_NE(text.find("  no difference\n1 faster, 1 slower, 1 without a difference\n"),
            std::string::npos)
      << text;
  std::string json = toJson(*result);
  EXPECT_NE(json.find("\"verdict\": \"slower\""), std::string::npos) << json;
  EXPECT_EQ(result->count(Verdict::Slower), 1u);
}

TEST_F(BenchCompareTest, WarnsOfRowsInOneFileAndOfAnotherMachine) {
  std::string a = write("a.json", {row("net", 10), row("old", 1), row("net", 5, 100, 2)});
  std::string b = write("b.json", {row("net", 10, 80), row("new", 1), row("net", 5, 103, 2)});
  llvm::Expected<BenchComparison> result = compareBenches(a, b);
  ASSERT_TRUE(bool(result)) << llvm::toString(result.takeError());
  EXPECT_EQ(result->rows.size(), 2u);
  EXPECT_EQ(result->warnings,
            (std::vector<std::string>{
                "net on host, 1 thread: the peak of the machine changed from 100.0 to 80.0 "
                "GFLOP/s; the ratio contains this change. Measure both again",
                "old on host, 1 thread is only in '" + a + "'",
                "new on host, 1 thread is only in '" + b + "'"}));
}

TEST_F(BenchCompareTest, SaysWhatIsWrongWithAFile) {
  std::string good = write("good.json", {row("net", 10)});
  std::string other = write("other.json", {row("tex", 10)});
  EXPECT_EQ(errorOf(good, other), "'" + good + "' and '" + other +
                                      "' have no model with the same target and threads in common");
  std::string missing = folder.file("none.json");
  EXPECT_NE(errorOf(missing, good).find("none.json"), std::string::npos);
  std::string expects = ": expects a file of `convoy bench --json=FILE`, found ";
  std::string object = folder.write("object.json", "{}");
  EXPECT_EQ(errorOf(good, object), "'" + object + "'" + expects + "no array");
  std::string text = folder.write("text.json", "model");
  EXPECT_EQ(errorOf(text, good).rfind("'" + text + "'" + expects, 0), 0u) << errorOf(text, good);
  std::string list = folder.write("list.json", "[1]");
  EXPECT_EQ(errorOf(list, good), "'" + list + "'" + expects + "an entry without 'model'");
  std::string layers = folder.write("layers.json", R"([{"model": "net", "ms": 1}])");
  EXPECT_EQ(
      errorOf(layers, good),
      "'" + layers +
          "': expects the samples of net, 1 thread as positive numbers in 'samples_ms', found "
          "none; measure again with `convoy bench --json=FILE`, without --layers");
}

TEST_F(BenchCompareTest, ReadsTheCellsOfAMatrix) {
  llvm::json::Object tuned = row("net", 10), failed = row("bad", 10);
  tuned["options"] = "tuned";
  tuned["problem"] = nullptr;
  failed["problem"] = "timeout";
  failed["samples_ms"] = llvm::json::Array();
  std::string file = write("matrix.json", {std::move(tuned), std::move(failed)});
  llvm::Expected<BenchComparison> result = compareBenches(file, file);
  ASSERT_TRUE(bool(result)) << llvm::toString(result.takeError());
  ASSERT_EQ(result->rows.size(), 1u);
  EXPECT_EQ(result->rows[0].after.name(), "net on host, 1 thread, tuned");
  EXPECT_EQ(result->rows[0].verdict(), Verdict::NoDifference);
}

} // namespace
