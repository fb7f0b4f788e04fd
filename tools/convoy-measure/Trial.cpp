// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sample consists of runs for a few milliseconds. It is timed by the wall clock and by the
// CPU time of its thread. If these differ, another process ran meanwhile and may have used the
// caches, so the sample is repeated. With several threads, waiting is normal, so the
// involuntary context switches are counted instead.

#include "Trial.h"
#include "Machine.h"
#include "Spec.h"
#include <algorithm>
#include <cmath>
#include <ctime>
#include <sys/resource.h>

namespace convoy::measure {
namespace {

// The largest relative difference of wall time and CPU time in a clean sample.
constexpr double kMaxLost = 0.02;
// The cost of reading a thread's clock. Without this allowance, a short sample could count as
// disturbed.
constexpr int64_t kClockNs = 1000;
// The maximum number of samples per requested sample, because disturbed samples are repeated.
constexpr int kAttempts = 4;
constexpr double kMaxRuns = 1000;

int64_t nowNs(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return int64_t(time.tv_sec) * 1000000000 + time.tv_nsec;
}

/// Returns the number of involuntary context switches of this process.
int64_t interruptions() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nivcsw;
}

/// Measures wall time and CPU time. It reads the CPU time first and last, so an undisturbed
/// thread loses nothing.
class Span {
public:
  void end() {
    wallNs = nowNs(CLOCK_MONOTONIC) - wallNs;
    cpuNs = nowNs(CLOCK_THREAD_CPUTIME_ID) - cpuNs;
  }
  /// Returns the share of the wall time in which the thread ran on a CPU.
  double share() const {
    return wallNs > 0 ? static_cast<double>(cpuNs) / static_cast<double>(wallNs) : 1;
  }
  bool isClean() const {
    return static_cast<double>(wallNs) <= static_cast<double>(cpuNs) * (1 + kMaxLost) + kClockNs;
  }
  int64_t wall() const { return wallNs; }
  int64_t cpu() const { return cpuNs; }

private:
  int64_t cpuNs = nowNs(CLOCK_THREAD_CPUTIME_ID), wallNs = nowNs(CLOCK_MONOTONIC);
};

/// A candidate and the state of its sampling.
struct Subject {
  explicit Subject(const CandidateSpec &spec) : candidate(spec) {}

  LoadedCandidate candidate;
  int runs = 1;
  int attempts = 0;
  TrialResult result;

  int cleanSamples() const {
    return static_cast<int>(std::count_if(result.samples.begin(), result.samples.end(),
                                          [](const TrialSample &s) { return s.isClean; }));
  }
  bool isDone() const {
    return !result.problem.empty() || cleanSamples() >= result.wanted ||
           attempts >= result.wanted * kAttempts;
  }
};

class Sampler {
public:
  Sampler(const TrialSpec &spec) : spec(spec), isSingle(spec.cpus.size() == 1) {}

  TrialSample sample(LoadedCandidate &candidate, int runs) const {
    int64_t before = interruptions();
    Span whole;
    TrialSample sample;
    sample.runs = runs;
    if (spec.policy == Policy::Warm) {
      candidate.run(); // The previous candidate has replaced the contents of the caches.
      int64_t begin = nowNs(CLOCK_MONOTONIC);
      for (int i = 0; i < runs; ++i) {
        candidate.run();
      }
      sample.wallNs = nowNs(CLOCK_MONOTONIC) - begin;
    } else {
      for (int i = 0; i < runs; ++i) {
        candidate.coolWeights();
        candidate.warmInputs();
        int64_t begin = nowNs(CLOCK_MONOTONIC);
        candidate.run();
        sample.wallNs += nowNs(CLOCK_MONOTONIC) - begin;
      }
    }
    whole.end();
    sample.cpuNs = static_cast<int64_t>(static_cast<double>(sample.wallNs) * whole.share());
    sample.isClean = isSingle ? whole.isClean() : interruptions() == before;
    return sample;
  }

private:
  const TrialSpec &spec;
  bool isSingle;
};

/// Runs the candidate once to check its outputs, then estimates its time.
void begin(const TrialSpec &spec, const Sampler &sampler, Subject &subject) {
  subject.candidate.forgetOutputs();
  subject.candidate.run();
  subject.result.problem = subject.candidate.whatIsWrong();
  if (!subject.result.problem.empty()) {
    return;
  }
  // In the first runs, caches, page tables and branch predictors are not in a steady state.
  double tookNs = INFINITY, fastestNs = INFINITY;
  for (int i = 0; i < 3; ++i) {
    int64_t before = nowNs(CLOCK_MONOTONIC);
    TrialSample one = sampler.sample(subject.candidate, 1);
    tookNs = std::min(tookNs, static_cast<double>(nowNs(CLOCK_MONOTONIC) - before));
    fastestNs = std::min(fastestNs, static_cast<double>(one.wallNs));
    if (fastestNs > spec.sampleMs * 1e6) {
      break; // Long enough for an estimate.
    }
  }
  subject.runs =
      static_cast<int>(std::clamp(std::ceil(spec.sampleMs * 1e6 / tookNs), 1.0, kMaxRuns));
  bool isGivenUp = spec.giveUpNs > 0 && fastestNs > spec.giveUpNs;
  subject.result.wanted = isGivenUp ? 1 : spec.samples;
}

} // namespace

std::vector<TrialResult> runTrial(const TrialSpec &spec, TrialProgress &progress) {
  pinToCpus(spec.cpus);
  Sampler sampler(spec);
  std::vector<Subject> subjects;
  for (size_t i = 0; i < spec.candidates.size(); ++i) {
    progress = {static_cast<int>(i), 0};
    subjects.emplace_back(spec.candidates[i]);
    progress.phase = 1;
    begin(spec, sampler, subjects.back());
  }
  bool isDone = false;
  while (!isDone) {
    isDone = true;
    for (size_t i = 0; i < subjects.size(); ++i) {
      Subject &subject = subjects[i];
      if (!subject.isDone()) {
        progress = {static_cast<int>(i), 2};
        subject.result.samples.push_back(sampler.sample(subject.candidate, subject.runs));
        ++subject.attempts;
        isDone = false;
      }
    }
  }
  std::vector<TrialResult> results;
  for (size_t i = 0; i < subjects.size(); ++i) {
    progress = {static_cast<int>(i), 3};
    if (subjects[i].result.problem.empty()) {
      subjects[i].result.problem = subjects[i].candidate.whatIsWrong();
    }
    results.push_back(std::move(subjects[i].result));
  }
  return results;
}

TrialSample runSentinel(int cpu, int rounds) {
  // A chain of multiplications of about 1 ms, whose time depends only on the clock frequency.
  constexpr int kSteps = 700000;
  pinToCpus({cpu});
  TrialSample best;
  Span whole;
  for (int round = 0; round < rounds; ++round) {
    Span span;
    uint64_t value = 1;
    for (int i = 0; i < kSteps; ++i) {
      value = value * 6364136223846793005u + 1442695040888963407u;
      asm volatile("" : "+r"(value));
    }
    span.end();
    if (best.runs == 0 || span.wall() < best.wallNs) {
      best = {1, span.wall(), span.cpu(), true};
    }
  }
  whole.end();
  best.isClean = whole.isClean();
  return best;
}

} // namespace convoy::measure
