// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builders and devices that answer from a table of recorded times instead of working. Tests of
// load and of faults use them. They need neither the compiler nor blobs.

#pragma once

#include "service/worker/Worker.h"
#include <unordered_map>

namespace convoy::service {

/// Recorded times by task and configuration. tests/service/make_tables.py writes the file.
class EmulationTables {
public:
  static llvm::Expected<EmulationTables> read(llvm::StringRef path);

  /// Returns the seconds of a run; nothing if the configuration is unknown or its candidate
  /// failed.
  std::optional<double> find(llvm::StringRef taskKey,
                             const tuning::Configuration &configuration) const;
  size_t taskCount() const { return tasks.size(); }

private:
  std::unordered_map<std::string, std::unordered_map<std::string, double>> tasks;
};

struct EmulationOptions {
  std::string name;
  std::string deviceClass; // of a device
  double seconds = 0.1;    // the time of one build or measurement at speed 1
  double speed = 1;
  double noise = 0; // relative standard deviation of the samples, seeded by the trial
  /// Hangs at every so many trials for `hangSeconds`, without extending the lease, and then
  /// answers late; 0: never.
  int hangEvery = 0;
  double hangSeconds = 60;
};

std::unique_ptr<WorkStation> makeEmulatedBuilder(EmulationOptions options);
std::unique_ptr<WorkStation> makeEmulatedDevice(EmulationOptions options,
                                                std::shared_ptr<const EmulationTables> tables);

} // namespace convoy::service
