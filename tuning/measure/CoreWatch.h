// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the CPU to measure on and decides when to wait. It runs a sentinel, a fixed workload
// whose time shows whether a CPU is free and how fast it is. It uses no processes and no
// clock, so unit tests can run it.

#pragma once

#include "tuning/records/Record.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <map>

namespace convoy::tuning {

struct WatchOptions {
  std::vector<int> cpus = {0}; // the CPUs to measure on, the preferred one first
  int threads = 1;             // the number of CPUs that a candidate needs
  int everyTrials = 20;        // the number of trials between two runs of the sentinel
  double maxDrift = 0.03; // the permitted relative increase over the best sentinel time of a CPU
  /// The maximum total time to wait. After it, measuring continues on busy CPUs.
  double maxWaitSeconds = 60;
};

class CoreWatch {
public:
  /// Runs the sentinel on a CPU.
  using Sentinel = std::function<llvm::Expected<Sample>(int cpu)>;
  /// Returns false if the wait was canceled.
  using Sleep = std::function<bool(double seconds)>;
  using Say = std::function<void(const std::string &text)>;

  CoreWatch(WatchOptions options, Sentinel sentinel, Sleep sleep, Say say)
      : options(std::move(options)), sentinel(std::move(sentinel)), sleep(std::move(sleep)),
        say(std::move(say)) {}

  /// Runs the sentinel if `everyTrials` trials have passed since its last run. Call it before
  /// each group of `trials` trials.
  llvm::Error beforeTrials(int trials);
  /// Runs the sentinel after disturbed samples and waits or changes the CPU. Returns false if
  /// the waiting time is used up, so the caller has to accept the samples. The error is
  /// WaitCanceled if `sleep` returns false.
  llvm::Expected<bool> afterDisturbance();

  /// Returns the CPUs to measure on.
  std::vector<int> cpus() const;
  int64_t lastSentinelNs() const { return lastNs; }
  double waitedSeconds() const { return waited; }

private:
  /// Returns whether a CPU is free and as fast as before.
  llvm::Expected<bool> isGood(int cpu);
  llvm::Expected<bool> areGood(size_t place);
  llvm::Expected<bool> findGood();

  WatchOptions options;
  Sentinel sentinel;
  Sleep sleep;
  Say say;
  std::map<int, int64_t> bestNs; // best sentinel time by CPU
  size_t current = 0;            // index of the current CPU in `cpus`
  int trialsLeft = 0;
  int64_t lastNs = 0; // time of the last sentinel run
  int lastCpu = 0;
  bool isLastClean = false;
  double waited = 0;
  bool hasGivenUp = false;
};

} // namespace convoy::tuning
