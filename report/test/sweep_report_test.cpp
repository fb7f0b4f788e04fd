// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the Pareto front of a sweep and its columns.

#include "report/SweepReport.h"
#include <gtest/gtest.h>

using namespace convoy::report;

namespace {

SweepPoint point(const std::string &pes, double deviceNs, double cpuNs, int64_t multipliers,
                 int64_t localBytes) {
  SweepPoint result;
  result.device = "abstract";
  result.values = {pes};
  result.cycles = result.deviceNs = deviceNs;
  result.cpuNs = cpuNs;
  result.multipliers = multipliers;
  result.localBytes = localBytes;
  return result;
}

struct SweepReport : ::testing::Test {
  SweepResult result{"model", "abstract", {{"pes", "pes", {"4", "8"}}}, {}};

  std::vector<bool> optimal(std::vector<SweepPoint> points) {
    result.points = std::move(points);
    markOptimal(result);
    std::vector<bool> marks;
    for (const SweepPoint &one : result.points) {
      marks.push_back(one.isOptimal);
    }
    return marks;
  }
};

TEST_F(SweepReport, KeepsPointsThatNoOtherPointDominates) {
  EXPECT_EQ(optimal({point("4", 100, 0, 4, 1024),   // smallest
                     point("8", 50, 0, 8, 1024),    // faster
                     point("8", 50, 0, 8, 2048),    // as fast with more memory
                     point("4", 60, 50, 4, 1024),   // the CPU makes it slower than the first
                     point("4", 100, 0, 4, 1024)}), // equal to the first
            (std::vector<bool>{true, true, false, false, true}));
}

TEST_F(SweepReport, ComparesOnlyDevicesThatStateTheirResources) {
  SweepPoint unknown = point("4", 1, 0, 0, 0), failed = point("4", 1, 0, 1, 1);
  failed.problem = "no region";
  EXPECT_EQ(optimal({point("4", 100, 0, 4, 1024), unknown, failed}),
            (std::vector<bool>{true, false, false}));
}

TEST_F(SweepReport, PrintsTheFrontAndOtherDevices) {
  SweepPoint other = point("", 30000, 500, 0, 0);
  other.device = "bm1880";
  optimal({point("4", 100000, 0, 4, 1024), point("8", 110000, 0, 8, 1024), other});
  std::string text;
  llvm::raw_string_ostream os(text);
  printTable(os, result);
  EXPECT_EQ(text,
            "  device  pes   cycles  stalls  utilization  bytes moved  regions  CPU ops     CPU  "
            "device + CPU  Pareto\n"
            "abstract    4  0.100 M   0.0 %        0.0 %            0        0        0  0.0 us  "
            "    100.0 us     yes\n"
            "abstract    8  0.110 M   0.0 %        0.0 %            0        0        0  0.0 us  "
            "    110.0 us      no\n"
            "  bm1880    -  0.030 M   0.0 %        0.0 %            0        0        0  0.5 us  "
            "     30.5 us       -\n");
  llvm::json::Value json = toJson(result);
  const llvm::json::Array &points = *json.getAsObject()->getArray("points");
  EXPECT_EQ(points[0].getAsObject()->getBoolean("pareto"), true);
  EXPECT_EQ(points[1].getAsObject()->getBoolean("pareto"), false);
  EXPECT_FALSE(points[2].getAsObject()->get("pareto"));
  EXPECT_NE(drawHtml(result).find("bm1880"), std::string::npos);
}

} // namespace
