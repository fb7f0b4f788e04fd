// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures candidates. How, is behind this interface: in a process on this machine
// (LocalMeasurer.h), by counting instructions under an emulator (CountMeasurer.h), or from a table
// of earlier results (ReplayMeasurer.h).

#pragma once

#include "Targets/Target.h"
#include "tuning/records/Record.h"
#include "llvm/Support/Error.h"
#include <functional>

namespace convoy::tuning {

/// What is measured: a time, by what is in the caches when a kernel starts, or a count. Part of a
/// record's key.
enum class Policy {
  ColdWeights,  ///< Weights are not, inputs are: what a network sees. The default.
  Warm,         ///< All that fits.
  Instructions, ///< Executed instructions. A sample has them as wallNs, and the cycles by the
                ///< target's table of instructions as cpuNs (0: the target has no table).
};

/// "cold-weights", "warm", "instructions".
llvm::StringRef name(Policy policy);
std::optional<Policy> policyFromName(llvm::StringRef name);

/// Returns the policy of measurements on devices of a target. Microcontrollers are emulated.
Policy policyOf(const targets::Target &target);

/// A built candidate.
struct RunnableCandidate {
  struct Input {
    std::string file;
    int64_t bytes = 0;
  };
  struct Output {
    int64_t bytes = 0;
    /// What Expectation.h wrote; empty: not checked.
    std::string expected;
  };

  /// Names it in tables and texts: a configuration's text and layouts, with its task.
  std::string id;
  std::string library; // a path; MemoryFile.h makes one for bytes in memory
  std::string symbol;  // <symbol>_run
  int64_t workspaceBytes = 0;
  std::vector<Input> inputs;
  std::vector<Output> outputs;
};

struct MeasurePlan {
  Policy policy = Policy::ColdWeights;
  int threads = 1;
  /// Screening: one warm-up run, then five samples of four milliseconds.
  int samples = 5;
  double sampleMs = 4;
  /// In turn, A B C A B C, in one process; else one candidate after the other.
  bool isInterleaved = false;
  /// One sample is enough of a candidate that is slower than so many nanoseconds; 0: of
  /// none.
  double giveUpNs = 0;
  /// Of one candidate. Its own time only: what it waits for others does not count.
  double timeoutMs = 10000;
};

struct Measurement {
  Outcome outcome = Outcome::Ok;
  std::string message;         // why it is not ok
  std::vector<Sample> samples; // all, also those that do not count
  /// Fewer clean samples than wanted: the machine was busy to the end.
  bool isDisturbed = false;
  int64_t sentinelNs = 0; // the last time of the sentinel; 0: not known

  double ns() const { return medianNs(samples); }
};

/// The error of a measurement that Measurer::cancelWait() or the user has ended while it waited
/// for an idle machine.
class WaitCanceled : public llvm::ErrorInfo<WaitCanceled> {
public:
  static char ID;

  void log(llvm::raw_ostream &stream) const override {
    stream << "the wait for an idle machine was canceled";
  }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }
};

class Measurer {
public:
  virtual ~Measurer() = default;
  /// One measurement per candidate, in order. An error means that nothing can be
  /// measured at all; what a candidate does wrong is in its measurement.
  virtual llvm::Expected<std::vector<Measurement>>
  measure(llvm::ArrayRef<RunnableCandidate> candidates, const MeasurePlan &plan) = 0;
  /// The number of candidates that it measures at the same time. If the plan is not interleaved,
  /// callers should pass so many candidates.
  virtual size_t parallel() const { return 1; }
  /// Seconds spent so far on waiting for an idle machine. Budgets do not count them.
  virtual double waitedSeconds() const { return 0; }
  /// While `isCanceled`, a measurement that would wait for an idle machine fails at once with
  /// WaitCanceled. Any thread may call it.
  virtual void cancelWait(bool /*isCanceled*/) {}

  /// Receives the CPUs that the measurer is about to use, and none when it no longer uses them.
  using Use = std::function<void(llvm::ArrayRef<int> cpus)>;
  /// Sets the function that keeps other work away from these CPUs. It may be empty.
  virtual void onUse(Use) {}
};

} // namespace convoy::tuning
