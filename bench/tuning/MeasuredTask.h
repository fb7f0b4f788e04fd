// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A measured table for the benchmarks of searches, and the result of searches on it: the
// median over seeds of the share of the best speed.

#pragma once

#include "tuning/search/JobSearch.h"
#include "tuning/search/ReplayTable.h"
#include <functional>

namespace convoy::tuning {

inline constexpr uint64_t kReplaySeeds = 10;
/// The rounds of `convoy tune`, and of a search that proposes a round of 8 only after all results.
inline constexpr ReplayRounds kOverlapped{kRoundEntries, kLookAhead}, kSequential{8, 0};

struct MeasuredTask {
  std::string name;
  double weight = 1;
  bool isHeldOut = false;
  ReplaySpace space;
};

/// Reads tables. Prints a message to stderr for each stale table and sets `hasStale`.
llvm::Expected<std::vector<MeasuredTask>> readMeasuredTasks(llvm::ArrayRef<std::string> paths,
                                                            bool &hasStale);

/// Prints that tables are stale and returns the exit code of a skipped test.
int reportStale();

/// Returns the median share after each number of trials. `examples` come from other tasks.
std::vector<double> medianShares(const MeasuredTask &task, llvm::StringRef searcher,
                                 llvm::ArrayRef<size_t> trials,
                                 llvm::ArrayRef<Example> examples = {},
                                 const ReplayRounds &rounds = kOverlapped);

/// Returns the part of a task's space that `keep` accepts. Shares still refer to the best of
/// the whole space.
MeasuredTask restricted(const MeasuredTask &task,
                        const std::function<bool(const SpaceEntry &)> &keep);

/// Returns the training examples of `trials` trials of the default search.
std::vector<Example> examplesOf(const MeasuredTask &task, size_t trials);

} // namespace convoy::tuning
