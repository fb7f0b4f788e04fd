// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the table, the JSON and the page of a build for a microcontroller.

#include "TestBuild.h"
#include "llvm/Support/FormatVariadic.h"
#include <gtest/gtest.h>

using namespace convoy::report;

namespace {

std::string tableOf(const MicroBuild &build, bool hasLayers) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printBuilds(os, build, hasLayers);
  return text;
}

void expectText(const std::string &text, const std::string &part) {
  EXPECT_NE(text.find(part), std::string::npos) << "expected\n" << part << "\nin\n" << text;
}

TEST(MicroBuild, GroupsDigits) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(-1234567), "-1,234,567");
}

TEST(MicroBuild, PrintsOneLinePerLayer) {
  std::string text = tableOf(test::smallBuild(), true);
  expectText(text, "net on cortex-m4, compiled by arm-none-eabi-gcc -O3; instructions counted\n"
                   "layer  instructions  share   MACs  per MAC  weights  offset  bytes  life  "
                   "kernel      nodes\n"
                   "    0        10,000   81 %  5,000     2.00      200       0  1,024   0-1  "
                   "conv_0      'conv1' (Conv)\n"
                   "    1         1,300   11 %      0                64   1,024    512   1-2  "
                   "max_pool_1  'pool' (MaxPool)\n"
                   "    2         1,000  8.1 %    500     2.00      536                       "
                   "conv_2      'fc' (Gemm)\n");
  expectText(text, "between layers");
}

TEST(MicroBuild, PrintsTheLargestLayerFirst) {
  MicroBuild build = test::smallBuild();
  std::swap(build.layers[0].instructions, build.layers[1].instructions);
  std::string text = tableOf(build, true);
  size_t first = text.find("'conv1' (Conv)"), second = text.find("'pool' (MaxPool)"),
         third = text.find("'fc' (Gemm)");
  EXPECT_LT(second, first) << text;
  EXPECT_LT(first, third) << text;
  expectText(text, "\n    1        10,000 ");
}

TEST(MicroBuild, PrintsWhatFlashAndRamConsistOf) {
  std::string text = tableOf(test::smallBuild(), true);
  expectText(text, "flash  4,000 bytes: code 3,000, weights 800, other constants and data 200\n"
                   "RAM    2,570 bytes: arena 1,536, inputs and outputs 10, stack 1,024\n"
                   "peak   layer 1, max_pool_1 'pool' (MaxPool), uses the arena up to 1,536\n");
}

TEST(MicroBuild, CountsMergedConstantsOnce) {
  MicroBuild build = test::smallBuild();
  build.flashBytes = 3700;
  expectText(tableOf(build, true),
             "flash  3,700 bytes: code 3,000, weights 700, other constants and data 0\n");
}

TEST(MicroBuild, TellsThatTheStackHasNoBound) {
  MicroBuild build = test::smallBuild();
  build.isStackBounded = false;
  build.usedStackBytes = std::nullopt;
  expectText(tableOf(build, true), "stack 1,024 (by the target's description)\n");
  llvm::json::Object json = toJson(build);
  EXPECT_TRUE(json.getNull("stack_bytes").has_value());
  EXPECT_TRUE(json.getNull("used_stack_bytes").has_value());
}

TEST(MicroBuild, PrintsNoSizesOfAProgramThatWasNotLinked) {
  MicroBuild build = test::smallBuild();
  build.flashBytes = build.codeBytes = build.ramBytes = 0;
  build.isCounted = false;
  std::string text = tableOf(build, true);
  expectText(text, "instructions estimated\n");
  expectText(text, "flash  weights 800 bytes; `convoy bench` builds a program");
  expectText(text, "RAM    arena 1,536, inputs and outputs 10\n");
  EXPECT_EQ(text.find("between layers"), std::string::npos) << text;
}

TEST(MicroBuild, CountsTablesOfLayersWithoutMultiplyAdds) {
  EXPECT_EQ(test::smallBuild().tableBytes(), 64);
  EXPECT_EQ(test::smallBuild().multiplyAdds(), 5500);
}

TEST(MicroBuild, ReadsTheJsonThatItWrites) {
  llvm::json::Value json = toJson(test::smallBuild());
  llvm::Expected<MicroBuild> read = microBuildFromJson(json, "a.json");
  ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
  EXPECT_EQ(llvm::formatv("{0}", json).str(),
            llvm::formatv("{0}", llvm::json::Value(toJson(*read))).str());
  EXPECT_EQ(read->layers[1].weightsBytes, 64);
  EXPECT_EQ(read->tensors[2].offset, 1024);
  EXPECT_EQ(read->usedStackBytes, 1000);
  EXPECT_EQ(read->libraryCalls.front().name, "memcpy");
}

TEST(MicroBuild, NamesAMissingMember) {
  llvm::json::Object json = toJson(test::smallBuild());
  json.erase("ram_bytes");
  llvm::Expected<MicroBuild> read = microBuildFromJson(std::move(json), "a.json");
  ASSERT_FALSE(bool(read));
  EXPECT_EQ(llvm::toString(read.takeError()),
            "'a.json': expects a build for a microcontroller, found no 'ram_bytes'; write the file "
            "with `convoy bench --json=FILE` of this version");
}

TEST(MicroBuild, DrawsEachTensorFromItsFirstToItsLastLayer) {
  std::string page = drawPage(test::smallBuild());
  expectText(page, "<title>conv_0: 1,024 bytes at 0, layers 0 to 1</title>");
  expectText(page, "<title>input: 256 bytes at 1,024, layers 0 to 0</title>");
  expectText(page, "<title>conv_2 (scratch): 64 bytes at 0, layers 2 to 2</title>");
  // Three layers of 90 pixels; max_pool_1 begins in the second and ends with the third. It uses the
  // upper third of 440 pixels below a margin of 10.
  expectText(page, "<rect x='171' y='10.0' width='178' height='146.7'");
  expectText(page, "12,345 instructions of one run, counted by the emulator");
  expectText(page, "<td class='l'>RAM</td><td>2,570</td>");
}

TEST(MicroBuild, EscapesNamesOfNodes) {
  MicroBuild build = test::smallBuild();
  build.layers[0].nodes = "'<script>' (Conv)";
  EXPECT_EQ(drawPage(build).find("<script>"), std::string::npos);
}

} // namespace
