// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures candidates on this machine, in a pinned process that may crash or hang, on a CPU
// that CoreWatch.h observes.

#pragma once

#include "tuning/measure/CoreWatch.h"
#include "tuning/measure/MeasureProcess.h"
#include "tuning/measure/Measurer.h"
#include <atomic>

namespace convoy::tuning {

struct LocalOptions {
  std::string program; // the path of convoy-measure
  WatchOptions watch;
  /// Receives messages for the user, such as a busy CPU or a waiting time.
  CoreWatch::Say say = [](const std::string &) {};
  /// Ends a wait for an idle machine if it returns true.
  std::function<bool()> isInterrupted = [] { return false; };
};

class LocalMeasurer : public Measurer {
public:
  explicit LocalMeasurer(LocalOptions options);

  llvm::Expected<std::vector<Measurement>> measure(llvm::ArrayRef<RunnableCandidate> candidates,
                                                   const MeasurePlan &plan) override;

  double waitedSeconds() const override { return waited; }
  void cancelWait(bool isCanceled) override { isWaitCanceled = isCanceled; }
  void onUse(Use function) override { use = std::move(function); }
  const CoreWatch &coreWatch() const { return watch; }
  /// Returns the id of the running process, or 0.
  pid_t processId() const { return process.id(); }

private:
  void useCpus(llvm::ArrayRef<int> cpus) const;
  /// Sleeps with the CPUs released. Returns false if the wait was canceled.
  bool waitForIdle(double seconds);
  llvm::Expected<Sample> runSentinel(int cpu);
  /// Measures the candidates alternately in one process.
  llvm::Expected<std::vector<Measurement>>
  measureTogether(llvm::ArrayRef<RunnableCandidate> candidates, const MeasurePlan &plan);
  /// Measures again while the samples are disturbed.
  llvm::Expected<std::vector<Measurement>>
  measureCleanly(llvm::ArrayRef<RunnableCandidate> candidates, const MeasurePlan &plan);

  MeasureProcess process;
  Use use;
  std::atomic<double> waited = 0; // other threads may read it
  std::atomic<bool> isWaitCanceled = false;
  std::function<bool()> isInterrupted;
  CoreWatch watch;
};

/// Returns the CPUs that this process may use, in ascending order.
std::vector<int> usableCpus();

} // namespace convoy::tuning
