// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures candidates by the instructions that they execute under the emulator of the target. A
// count is the same on every run, so one run is a measurement, and several candidates may run at
// the same time. Compares the results of a run with the expected results.

#pragma once

#include "Support/TemporaryFolder.h"
#include "tuning/measure/Measurer.h"
#include <sys/types.h>

namespace convoy::tuning {

struct CountOptions {
  /// A target with an emulator. The candidates of a microcontroller are programs of runtime/micro.
  targets::Target target;
  /// The path of a program that loads a candidate, for candidates that are shared libraries; empty:
  /// they are programs.
  std::string runner;
  /// The number of emulators that run at the same time.
  size_t processes = 1;
};

class CountMeasurer : public Measurer {
public:
  /// Finds the emulator and writes its plug-in. The error states why nothing can be counted.
  static llvm::Expected<std::unique_ptr<CountMeasurer>> create(CountOptions options);

  llvm::Expected<std::vector<Measurement>> measure(llvm::ArrayRef<RunnableCandidate> candidates,
                                                   const MeasurePlan &plan) override;
  size_t parallel() const override { return options.processes; }

private:
  /// A candidate that runs, in a folder of its own.
  struct Run {
    size_t candidate = 0; // index
    std::string folder;
    pid_t process = 0;
    double begin = 0;
  };

  explicit CountMeasurer(CountOptions options) : options(std::move(options)) {}
  llvm::Error prepareFolder(const RunnableCandidate &candidate, llvm::StringRef folder) const;
  llvm::Expected<std::vector<std::string>> commandLine(const RunnableCandidate &candidate,
                                                       llvm::StringRef folder) const;
  llvm::Error start(const RunnableCandidate &candidate, Run &run) const;
  /// Returns nothing while the candidate runs.
  std::optional<Measurement> finish(const RunnableCandidate &candidate, const MeasurePlan &plan,
                                    Run &run);

  CountOptions options;
  std::string emulator; // path
  TemporaryFolder folder;
};

} // namespace convoy::tuning
