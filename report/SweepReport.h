// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a sweep measured, as a table, as JSON and as a picture.

#pragma once

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace convoy::report {

/// A parameter and the values that it takes.
struct SweepAxis {
  std::string flag; // "memory", as the command line has it
  std::string key;  // "memory_bytes", as the device has it
  std::vector<std::string> values;
};

/// The model on one device.
struct SweepPoint {
  std::vector<std::string> values; // by axis
  double cycles = 0;
  double stallCycles = 0;
  double utilization = 0; // of the multipliers, 0 to 1
  int64_t bytesMoved = 0;
  int64_t regions = 0;
  int64_t layers = 0;
  int64_t cpuOps = 0;  // what the device does not run
  double cpuNs = 0;    // of these, estimated for one core
  std::string problem; // why there are no numbers; empty when there are
};

struct SweepResult {
  std::string model, target;
  std::vector<SweepAxis> axes;
  std::vector<SweepPoint> points;
};

void printTable(llvm::raw_ostream &os, const SweepResult &result);
llvm::json::Value toJson(const SweepResult &result);

/// A page that needs nothing but itself: bars of cycles, a chart for each value of the
/// last axis, a colour for each of the one before.
std::string drawHtml(const SweepResult &result);

} // namespace convoy::report
