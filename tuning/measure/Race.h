// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures the fastest candidates alternately until their order is statistically significant.
// Screening orders all candidates; only a race determines the fastest one.

#pragma once

#include "tuning/measure/Measurer.h"

namespace convoy::tuning {

struct RaceOptions {
  MeasurePlan plan;  // `plan.samples` is the number of samples of one round
  int maxRounds = 6; // with five samples per round: thirty samples
  /// A candidate is eliminated if it is slower than the leader and the probability of this
  /// result by chance is below this value.
  double maxChance = 0.01;
};

struct RaceResult {
  /// All measurements of the race, per candidate, in the order given.
  std::vector<Measurement> measurements;
  /// Indices of the successful candidates. First the candidates that were not eliminated, by
  /// median; then the eliminated candidates, the last eliminated first.
  std::vector<size_t> order;
  int rounds = 0;
  /// Whether all other candidates were eliminated.
  bool isDecided = false;
};

llvm::Expected<RaceResult> race(Measurer &measurer, llvm::ArrayRef<RunnableCandidate> candidates,
                                const RaceOptions &options);

} // namespace convoy::tuning
