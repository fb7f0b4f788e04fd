// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the comparison of two builds: paired and unpaired layers, totals, and the text of errors.

#include "TestBuild.h"
#include "report/MicroCompare.h"
#include <gtest/gtest.h>

using namespace convoy::report;

namespace {

std::string textOf(const MicroComparison &comparison) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printComparison(os, comparison);
  return text;
}

void expectText(const std::string &text, const std::string &part) {
  EXPECT_NE(text.find(part), std::string::npos) << "expected\n" << part << "\nin\n" << text;
}

TEST(MicroCompare, EqualBuildsHaveNoChanges) {
  MicroComparison result = compareBuilds(test::smallBuild(), test::smallBuild());
  EXPECT_FALSE(result.hasGrown());
  EXPECT_TRUE(result.layers.empty());
  expectText(textOf(result), "instructions        12,345  12,345       0\n");
  expectText(textOf(result), "no layer differs\n");
}

TEST(MicroCompare, PrintsWhatGrew) {
  MicroBuild after = test::smallBuild();
  after.instructions = 11345;
  after.layers[0].instructions = 9000;
  after.ramBytes = 2826;
  after.tensors[2].bytes = 768;
  MicroComparison result = compareBuilds(test::smallBuild(), after);
  EXPECT_TRUE(result.hasGrown()); // the RAM
  std::string text = textOf(result);
  expectText(text, "-1,000 (-8.1 %)");
  expectText(text, "RAM                  2,570   2,826   +256 (+10.0 %)");
  expectText(text, "instructions  10,000  9,000  -1,000 (-10.0 %)  conv_0 'conv1' (Conv)\n"
                   "arena            512    768    +256 (+50.0 %)  max_pool_1 'pool' (MaxPool)\n");
  EXPECT_EQ(text.find("'fc'"), std::string::npos) << text;
}

TEST(MicroCompare, FewerInstructionsAreNoGrowth) {
  MicroBuild after = test::smallBuild();
  after.instructions -= 1;
  EXPECT_FALSE(compareBuilds(test::smallBuild(), after).hasGrown());
  EXPECT_TRUE(compareBuilds(after, test::smallBuild()).hasGrown());
}

TEST(MicroCompare, PairsLayersByNodesIfTheKernelDiffers) {
  MicroBuild after = test::smallBuild();
  after.layers[0].kernel = "conv_bytes_0";
  after.layers[0].instructions = 100;
  after.layers[1].nodes = "'other' (AveragePool)";
  MicroComparison result = compareBuilds(test::smallBuild(), after);
  ASSERT_EQ(result.layers.size(), 3u);
  EXPECT_EQ(result.layers[0].after, "conv_bytes_0 'conv1' (Conv)");
  EXPECT_EQ(result.layers[1].after, "");
  EXPECT_EQ(result.layers[2].before, "");
  expectText(textOf(result), "max_pool_1 'pool' (MaxPool) (only in the first build)");
  expectText(textOf(result), "max_pool_1 'other' (AveragePool) (only in the second build)");
}

TEST(MicroCompare, WritesJson) {
  MicroBuild after = test::smallBuild();
  after.layers[2].weightsBytes = 600;
  llvm::json::Object json = toJson(compareBuilds(test::smallBuild(), after));
  const llvm::json::Object *change =
      json.getArray("layers")->front().getAsObject()->getArray("changes")->front().getAsObject();
  ASSERT_NE(change, nullptr);
  EXPECT_EQ(change->getString("name"), "weights");
  EXPECT_EQ(change->getInteger("before"), 536);
  EXPECT_EQ(change->getInteger("after"), 600);
  EXPECT_EQ(json.getBoolean("grown"), false);
}

TEST(MicroCompare, ReadsFilesOfBenchAndCompile) {
  std::string one = "{\"micro\": " + toJson(llvm::ArrayRef(test::smallBuild())).substr(1);
  one = one.substr(0, one.rfind(']')) + "}";
  for (const std::string &text : {toJson(llvm::ArrayRef(test::smallBuild())), one}) {
    auto builds = parseMicroBuilds(text, "a.json");
    ASSERT_TRUE(bool(builds)) << llvm::toString(builds.takeError());
    ASSERT_TRUE(builds->has_value()) << text;
    EXPECT_EQ((*builds)->front().instructions, 12345);
  }
}

TEST(MicroCompare, LeavesOtherFilesToTheirReader) {
  auto builds = parseMicroBuilds("[{\"model\": \"net\", \"samples_ms\": [1]}]", "a.json");
  ASSERT_TRUE(bool(builds));
  EXPECT_FALSE(builds->has_value());
  auto broken = parseMicroBuilds("[", "a.json");
  ASSERT_FALSE(bool(broken));
  EXPECT_EQ(llvm::toString(broken.takeError())
                .find("'a.json': expects a file of `convoy bench --json=FILE`, found "),
            0u);
}

} // namespace
