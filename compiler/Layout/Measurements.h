// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the layout stage finds what was measured. The tuner's records implement it; the
// compiler knows no database.

#pragma once

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace convoy::layout {

/// On a module that was compiled with measurements: a dictionary of `hash`, which names
/// all of them, and of the fields of MeasuredCounts.
inline constexpr llvm::StringLiteral kMeasurementsAttr = "layout.measurements";

/// What measurements meant for a module.
struct MeasuredCounts {
  int64_t kernels = 0; // that are tasks
  int64_t tuned = 0;   // for which there are measurements
  int64_t kept = 0;    // that stay as by default, though there are measurements: they did not
                       // win in the network
};

/// One measured way to run a kernel.
struct MeasuredConfiguration {
  std::string config; // the attribute's text; empty: the generic loops
  std::string input;  // the layout of the main operand as text; empty: planar
  double ns = 0;      // of one run
};

/// What was measured of one task.
struct TaskMeasurements {
  std::vector<MeasuredConfiguration> configurations;
  /// There are measurements, and none of them won in this network.
  bool isPassedOver = false;
};

/// How many kernels of a network are the same task, by the task's key.
using TaskCounts = std::map<std::string, int64_t>;

class Measurements {
public:
  virtual ~Measurements() = default;
  /// Names all measurements of this source; the artefact carries it.
  virtual std::string hash() const = 0;
  /// What was measured of the task `key` for a network of these tasks.
  virtual TaskMeasurements find(const std::string &key, const TaskCounts &network) const = 0;
};

} // namespace convoy::layout
