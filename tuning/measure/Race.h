// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Leaders against each other, in turn, until chance can no longer explain who is
// faster. Screening orders candidates; only a race says which one is the best.

#pragma once

#include "tuning/measure/Measurer.h"

namespace convoy::tuning {

struct RaceOptions {
  MeasurePlan plan;  // its samples are those of one round
  int maxRounds = 6; // with five samples each, thirty samples
  /// A candidate is out when it is slower than the leader and chance would make it look
  /// so less often than this.
  double maxChance = 0.01;
};

struct RaceResult {
  /// Per candidate, in the order given: all that was measured in the race.
  std::vector<Measurement> measurements;
  /// Indices of candidates that are ok: those never separated from the winner first, by
  /// median; then those that were out, the last first.
  std::vector<size_t> order;
  int rounds = 0;
  /// Whether the winner was separated from all others.
  bool isDecided = false;
};

llvm::Expected<RaceResult> race(Measurer &measurer, llvm::ArrayRef<Candidate> candidates,
                                const RaceOptions &options);

} // namespace convoy::tuning
