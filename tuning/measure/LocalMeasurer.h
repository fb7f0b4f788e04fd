// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures on this machine: in a pinned process that may crash or hang, on a core that
// a sentinel watches.

#pragma once

#include "tuning/measure/CoreWatch.h"
#include "tuning/measure/MeasureProcess.h"
#include "tuning/measure/Measurer.h"

namespace convoy::tuning {

struct LocalOptions {
  std::string program; // convoy-measure
  WatchOptions watch;
  /// Hears what a person should know: a busy core, waiting.
  CoreWatch::Say say = [](const std::string &) {};
};

class LocalMeasurer : public Measurer {
public:
  explicit LocalMeasurer(LocalOptions options);

  llvm::Expected<std::vector<Measurement>> measure(llvm::ArrayRef<Candidate> candidates,
                                                   const MeasurePlan &plan) override;

  double waitedSeconds() const override { return watch.waitedSeconds(); }
  const CoreWatch &coreWatch() const { return watch; }
  /// Of the serving process; 0 when none runs.
  pid_t processId() const { return process.id(); }

private:
  llvm::Expected<Sample> runSentinel(int cpu);
  /// In turn, in one process.
  llvm::Expected<std::vector<Measurement>> measureTogether(llvm::ArrayRef<Candidate> candidates,
                                                           const MeasurePlan &plan);
  /// The same, again while disturbed.
  llvm::Expected<std::vector<Measurement>> measureCleanly(llvm::ArrayRef<Candidate> candidates,
                                                          const MeasurePlan &plan);

  MeasureProcess process;
  CoreWatch watch;
};

/// The CPUs that this process may use, in order.
std::vector<int> usableCpus();

} // namespace convoy::tuning
