// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures rounds of interleaved samples. After each round, significantly slower candidates
// are eliminated.

#include "Race.h"
#include "tuning/measure/RankTest.h"
#include <algorithm>

namespace convoy::tuning {
namespace {

std::vector<double> cleanTimes(const Measurement &measurement) {
  std::vector<double> times;
  for (const Sample &sample : measurement.samples) {
    if (sample.isClean) {
      times.push_back(sample.nsPerRun());
    }
  }
  return times;
}

/// Adds the samples of a round.
void add(Measurement &sum, const Measurement &round) {
  sum.samples.insert(sum.samples.end(), round.samples.begin(), round.samples.end());
  sum.isDisturbed |= round.isDisturbed;
  sum.sentinelNs = round.sentinelNs;
  if (round.outcome != Outcome::Ok) {
    sum.outcome = round.outcome;
    sum.message = round.message;
  }
}

class Field {
public:
  Field(Measurer &measurer, llvm::ArrayRef<RunnableCandidate> candidates,
        const RaceOptions &options)
      : measurer(measurer), candidates(candidates), options(options) {
    result.measurements.resize(candidates.size());
    for (size_t i = 0; i < candidates.size(); ++i) {
      running.push_back(i);
    }
  }

  llvm::Expected<RaceResult> run() {
    while (!running.empty() && result.rounds < options.maxRounds && !result.isDecided) {
      if (llvm::Error error = round()) {
        return std::move(error);
      }
    }
    result.order = running;
    result.order.insert(result.order.end(), out.rbegin(), out.rend());
    return std::move(result);
  }

private:
  double ns(size_t i) const { return result.measurements[i].ns(); }

  llvm::Error round() {
    std::vector<RunnableCandidate> now;
    for (size_t i : running) {
      now.push_back(candidates[i]);
    }
    MeasurePlan plan = options.plan;
    plan.isInterleaved = true;
    llvm::Expected<std::vector<Measurement>> measured = measurer.measure(now, plan);
    if (!measured) {
      return measured.takeError();
    }
    for (size_t k = 0; k < running.size(); ++k) {
      add(result.measurements[running[k]], (*measured)[k]);
    }
    ++result.rounds;
    sort();
    dropSlower();
    return llvm::Error::success();
  }

  /// Sorts by median, ties by name. Failed candidates are removed.
  void sort() {
    llvm::erase_if(running, [&](size_t i) {
      return result.measurements[i].outcome != Outcome::Ok || ns(i) <= 0;
    });
    std::sort(running.begin(), running.end(), [&](size_t i, size_t k) {
      return std::make_pair(ns(i), candidates[i].id) < std::make_pair(ns(k), candidates[k].id);
    });
  }

  void dropSlower() {
    if (running.empty()) {
      return;
    }
    std::vector<double> leader = cleanTimes(result.measurements[running.front()]);
    std::vector<size_t> staying;
    std::vector<size_t> leaving;
    for (size_t i : running) {
      bool isSlower = i != running.front() &&
                      mannWhitney(cleanTimes(result.measurements[i]), leader) < options.maxChance;
      (isSlower ? leaving : staying).push_back(i);
    }
    out.insert(out.end(), leaving.rbegin(), leaving.rend());
    running = std::move(staying);
    result.isDecided = running.size() == 1;
  }

  Measurer &measurer;
  llvm::ArrayRef<RunnableCandidate> candidates;
  const RaceOptions &options;
  std::vector<size_t> running, out;
  RaceResult result;
};

} // namespace

llvm::Expected<RaceResult> race(Measurer &measurer, llvm::ArrayRef<RunnableCandidate> candidates,
                                const RaceOptions &options) {
  return Field(measurer, candidates, options).run();
}

} // namespace convoy::tuning
