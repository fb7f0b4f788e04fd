// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Candidates, checked and timed in turn: A B C A B C. Runs in a process of its own.

#pragma once

#include "Candidate.h"

namespace convoy::measure {

enum class Policy {
  ColdWeights, // constants out of the caches before each run, inputs in them
  Warm,        // one run after the other
};

struct TrialSpec {
  std::vector<CandidateSpec> candidates;
  Policy policy = Policy::ColdWeights;
  std::vector<int> cpus = {0}; // as many as the candidates have threads
  int samples = 5;             // of each candidate
  double sampleMs = 4;
  /// A candidate slower than so many nanoseconds is given up after one sample; 0: none.
  double giveUpNs = 0;
};

struct TrialSample {
  int64_t runs = 0;
  int64_t wallNs = 0; // of the runs, without what is between them
  int64_t cpuNs = 0;  // that, by the share of the sample that the thread had a core
  bool isClean = true;
};

struct TrialResult {
  std::string problem; // of its output; empty: none
  int wanted = 0;      // clean samples
  std::vector<TrialSample> samples;
};

/// How far a trial has come, where it can be read after a crash.
struct TrialProgress {
  int candidate = 0;
  int phase = 0; // 0 loading, 1 first run, 2 timing, 3 last look at the outputs
};

std::vector<TrialResult> runTrial(const TrialSpec &spec, TrialProgress &progress);

/// What a fixed piece of work takes now: the fastest of `rounds`, disturbed when one of
/// them was.
TrialSample runSentinel(int cpu, int rounds);

} // namespace convoy::measure
