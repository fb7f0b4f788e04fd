// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks candidates and measures them alternately: A B C A B C. Runs in its own process.

#pragma once

#include "Candidate.h"

namespace convoy::measure {

enum class Policy {
  ColdWeights, // before each run: constants not in the caches, inputs in the caches
  Warm,        // repeated runs
};

struct TrialSpec {
  std::vector<CandidateSpec> candidates;
  Policy policy = Policy::ColdWeights;
  std::vector<int> cpus = {0}; // one CPU per thread of a candidate
  int samples = 5;             // per candidate
  double sampleMs = 4;
  /// Candidates slower than this many nanoseconds get only one sample; 0: no limit.
  double giveUpNs = 0;
};

struct TrialSample {
  int64_t runs = 0;
  int64_t wallNs = 0; // of the runs, without the time between them
  int64_t cpuNs = 0;  // wallNs times the share of the sample in which the thread ran on a CPU
  bool isClean = true;
};

struct TrialResult {
  std::string problem; // of its output; empty: none
  int wanted = 0;      // requested clean samples
  std::vector<TrialSample> samples;
};

/// The progress of a trial, which can be read after a crash.
struct TrialProgress {
  int candidate = 0;
  int phase = 0; // 0 loading, 1 first run, 2 measuring, 3 final check of the outputs
};

std::vector<TrialResult> runTrial(const TrialSpec &spec, TrialProgress &progress);

/// Measures a fixed workload: returns the fastest of `rounds` rounds. The result is disturbed
/// if one round was disturbed.
TrialSample runSentinel(int cpu, int rounds);

} // namespace convoy::measure
