// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface through which the layout stage reads measurements. The tuner's records implement
// it, so the compiler does not depend on a database.

#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace convoy::layout {

/// How many kernels of a module use measurements.
struct MeasuredCounts {
  int64_t kernels = 0; // kernels that are tuning tasks
  int64_t tuned = 0;   // tasks with measurements
  int64_t kept = 0; // tasks whose measurements did not win in this network; they keep the default
};

/// One measured way to run a kernel.
struct MeasuredConfiguration {
  std::string config; // text of the attribute; empty for the generic loops
  std::string input;  // layout of the main operand as text; empty if planar
  double ns = 0;      // nanoseconds of one run
};

/// The measurements of one task.
struct TaskMeasurements {
  std::vector<MeasuredConfiguration> configurations;
  /// The task has measurements, but none of them won in this network.
  bool isPassedOver = false;
};

/// The number of kernels per task in a network, by the key of the task.
using TaskCounts = std::map<std::string, int64_t>;

} // namespace convoy::layout

namespace convoy {

/// A source of measurements. convoy/request.h declares the class for users of the compiler.
class Measurements {
public:
  virtual ~Measurements() = default;
  /// Returns the measurements for a network that consists of the tasks `network`; null: this object
  /// has them. A source on another machine asks for all tasks here, with one call. An error ends
  /// the compilation.
  virtual llvm::Expected<std::shared_ptr<const Measurements>>
  forNetwork(const layout::TaskCounts &network) const {
    return nullptr;
  }
  /// Identifies all measurements of this source. The compiled artifact carries the hash.
  virtual std::string hash() const = 0;
  /// Returns the measurements of the task `key` for a network that consists of the tasks `network`.
  virtual layout::TaskMeasurements find(const std::string &key,
                                        const layout::TaskCounts &network) const = 0;
};

} // namespace convoy
