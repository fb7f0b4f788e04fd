// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints the result of `convoy sweep` as a text table, as JSON and as an HTML page with charts.

#pragma once

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace convoy::report {

/// A parameter of the device and its values in the sweep.
struct SweepAxis {
  std::string flag; // "memory", as the command line has it
  std::string key;  // "memory_bytes", as the device has it
  std::vector<std::string> values;
};

/// The result of one combination of parameters.
struct SweepPoint {
  std::string device;              // with its parameters
  std::vector<std::string> values; // by axis; empty: the device has no such axis in the sweep
  double cycles = 0;
  double deviceNs = 0; // of the cycles
  double stallCycles = 0;
  double utilization = 0; // of the multipliers, 0 to 1
  int64_t bytesMoved = 0;
  int64_t regions = 0;
  int64_t layers = 0;
  int64_t cpuOps = 0;                      // ops that the device does not run
  double cpuNs = 0;                        // predicted time of the kernels of these ops on one core
  int64_t multipliers = 0, localBytes = 0; // of the device; 0: it does not state them
  /// No other point of the sweep is at least as good in time, multipliers and local memory, and
  /// better in one of them.
  bool isOptimal = false;
  std::string problem; // why there are no numbers; empty on success

  double totalNs() const { return deviceNs + cpuNs; }
  /// Whether the point can be compared with others.
  bool isComparable() const { return problem.empty() && multipliers > 0 && localBytes > 0; }
};

struct SweepResult {
  std::string model, target;
  std::vector<SweepAxis> axes;
  std::vector<SweepPoint> points;
};

/// Sets isOptimal of all points: the Pareto front of time, multipliers and local memory.
void markOptimal(SweepResult &result);

void printTable(llvm::raw_ostream &os, const SweepResult &result);
llvm::json::Value toJson(const SweepResult &result);

/// Returns a self-contained HTML page with bar charts of the cycles: one chart per value of the
/// last axis, one color per value of the axis before it.
std::string drawHtml(const SweepResult &result);

} // namespace convoy::report
