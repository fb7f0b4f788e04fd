// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which core to measure on, and whether now is a good time. Judges by a sentinel: a
// fixed piece of work whose time says how fast and how free a core is. Knows no
// processes and no clock, so that it can be tested.

#pragma once

#include "tuning/records/Record.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <map>

namespace convoy::tuning {

struct WatchOptions {
  std::vector<int> cpus = {0}; // to measure on, the preferred one first
  int threads = 1;             // how many of them a candidate needs
  int everyTrials = 20;        // between two looks at the sentinel
  double maxDrift = 0.03;      // above the best time of a core
  /// Waiting in all, after which measuring goes on as good as it can.
  double maxWaitSeconds = 60;
};

class CoreWatch {
public:
  /// Runs the sentinel on a CPU.
  using Sentinel = std::function<llvm::Expected<Sample>(int cpu)>;
  using Sleep = std::function<void(double seconds)>;
  using Say = std::function<void(const std::string &text)>;

  CoreWatch(WatchOptions options, Sentinel sentinel, Sleep sleep, Say say)
      : options(std::move(options)), sentinel(std::move(sentinel)), sleep(std::move(sleep)),
        say(std::move(say)) {}

  /// Before `trials` more: looks at the sentinel when it is time to.
  llvm::Error beforeTrials(int trials);
  /// After samples were disturbed: looks now, and waits or moves. False when all waiting
  /// has been spent: what was measured has to do.
  llvm::Expected<bool> afterDisturbance();

  /// Where to measure.
  std::vector<int> cpus() const;
  int64_t lastSentinelNs() const { return lastNs; }
  double waitedSeconds() const { return waited; }

private:
  /// Whether a core is free and as fast as it was.
  llvm::Expected<bool> isGood(int cpu);
  llvm::Expected<bool> areGood(size_t place);
  llvm::Expected<bool> findGood();

  WatchOptions options;
  Sentinel sentinel;
  Sleep sleep;
  Say say;
  std::map<int, int64_t> bestNs; // by CPU
  size_t current = 0;            // index of the preferred one in cpus
  int trialsLeft = 0;
  int64_t lastNs = 0; // of the last sentinel
  int lastCpu = 0;
  bool isLastClean = false;
  double waited = 0;
  bool hasGivenUp = false;
};

} // namespace convoy::tuning
