// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the parsing of durations and sizes, the spelling suggestions, and the progress line.

#include "Support/NearestName.h"
#include "tools/convoy/arguments/Quantities.h"
#include "tools/convoy/output/Progress.h"
#include <gtest/gtest.h>

namespace convoy::tool {
namespace {

TEST(Quantities, ReadsDurations) {
  EXPECT_DOUBLE_EQ(*parseDuration("900us", 1), 900e-6);
  EXPECT_DOUBLE_EQ(*parseDuration("25ms", 1), 0.025);
  EXPECT_DOUBLE_EQ(*parseDuration("1.5s", 1), 1.5);
  EXPECT_DOUBLE_EQ(*parseDuration("10m", 1), 600);
  EXPECT_DOUBLE_EQ(*parseDuration("1h", 1), 3600);
  EXPECT_DOUBLE_EQ(*parseDuration("7d", 1), 7 * 86400);
  EXPECT_DOUBLE_EQ(*parseDuration("5", 1e-3), 0.005);
  for (const char *text : {"", "ms", "5mss", "5 ms", "-1s", "1e400", "nan", "inf", "0x5", "5M"}) {
    EXPECT_FALSE(parseDuration(text, 1).has_value()) << text;
  }
}

TEST(Quantities, ReadsSizes) {
  EXPECT_EQ(parseSize("4096"), 4096);
  EXPECT_EQ(parseSize("512K"), 512 << 10);
  EXPECT_EQ(parseSize("16KiB"), 16 << 10);
  EXPECT_EQ(parseSize("1M"), 1 << 20);
  EXPECT_EQ(parseSize("2GiB"), int64_t(2) << 30);
  for (const char *text : {"", "K", "1.5M", "-1", "5KB", "5k", "99999999999999G"}) {
    EXPECT_FALSE(parseSize(text).has_value()) << text;
  }
  EXPECT_EQ(sizeText(16 << 10), "16K");
  EXPECT_EQ(sizeText(1 << 20), "1M");
  EXPECT_EQ(sizeText(1000), "1000");
}

TEST(NearestName, SuggestsMisspellingsAndBeginnings) {
  std::vector<std::string> names = {"input", "input-shape", "calibrate", "top", "nvdla-small"};
  EXPECT_EQ(nearestName("inptu", names), "input");
  EXPECT_EQ(nearestName("calib", names), "calibrate");
  EXPECT_EQ(nearestName("nvdla-smal", names), "nvdla-small");
  EXPECT_EQ(nearestName("tpo", names), "");
  EXPECT_EQ(nearestName("moon", names), "");
  EXPECT_EQ(nearestName("", names), "");
}

TEST(Quantities, PercentagesNeedTheirSign) {
  EXPECT_EQ(parsePercent("0.5%"), 0.005);
  EXPECT_EQ(parsePercent("100 %"), 1);
  EXPECT_EQ(parsePercent("0%"), 0);
  for (const char *text : {"0.5", "", "%", "-1%", "101%", "x%", "nan%"}) {
    EXPECT_EQ(parsePercent(text), std::nullopt) << text;
  }
}

TEST(Progress, ReplacesOneLineAndErasesIt) {
  std::string out, err;
  llvm::raw_string_ostream outStream(out), errStream(err);
  Console console{outStream, errStream, /*isTerminal=*/true};
  console.columns = 12;
  {
    Progress progress(console, 2);
    progress.begin("import");
    progress.begin("a very long name");
  }
  EXPECT_EQ(err, "\r\033[K[1/2] impor\r\r\033[K[2/2] a ver\r\r\033[K");
  EXPECT_EQ(out, "");
}

TEST(Progress, IsSilentWithoutATerminalAndWithQuiet) {
  std::string out, err;
  llvm::raw_string_ostream outStream(out), errStream(err);
  Console pipe{outStream, errStream};
  Progress(pipe, 1).begin("import");
  Console quiet{outStream, errStream, /*isTerminal=*/true, /*isQuiet=*/true};
  Progress(quiet, 1).begin("import");
  EXPECT_EQ(err, "");
}

} // namespace
} // namespace convoy::tool
