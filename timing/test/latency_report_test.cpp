// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the tables of percentiles and of parallel streams.

#include "timing/LatencyReport.h"
#include <gtest/gtest.h>

using namespace convoy::timing;

namespace {

TEST(LatencyReport, PrintsPercentiles) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printLatencies(os, {{{"net", 2}, Percentiles{100, 0.5, 1, 1, 2, 3, 4, 50}}});
  EXPECT_EQ(text, "time of single inferences in ms\n"
                  "model  threads  runs     min   p50   p90   p95   p99    max\n"
                  "net          2   100  0.5000  1.00  2.00  3.00  4.00  50.00\n");
}

TEST(LatencyReport, PrintsStreams) {
  StreamReport report;
  report.streams = 4;
  report.perSecond = 1234.5;
  report.onePerSecond = 500;
  report.scaling = {2.469, 2.4, 2.5};
  report.latencyMs.p50 = 3;
  report.latencyMs.p99 = 4;
  std::string text;
  llvm::raw_string_ostream os(text);
  printStreams(os, {{{"net", 1}, report}});
  EXPECT_EQ(text, "throughput of parallel streams\n"
                  "model  threads  streams  inferences/s  of one stream  scaling   95 % interval  "
                  "p50 ms  p99 ms\n"
                  "net          1        4          1234            500    2.469  2.400 .. 2.500  "
                  "  3.00    4.00\n");
}

} // namespace
