// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A table as the benchmarks of searches use it, and what searches reach on it: the
// median, over seeds, of the share of the best speed.

#pragma once

#include "tuning/search/ReplayTable.h"
#include <functional>

namespace convoy::tuning {

inline constexpr uint64_t kReplaySeeds = 10;
/// As `convoy tune` does it.
inline constexpr size_t kReplayBatch = 8;

struct MeasuredTask {
  std::string name;
  double weight = 1;
  bool isHeldOut = false;
  ReplaySpace space;
};

/// Reads tables and says of each on stderr when it is stale; `hasStale` is set then.
llvm::Expected<std::vector<MeasuredTask>> readMeasuredTasks(llvm::ArrayRef<std::string> paths,
                                                            bool &hasStale);

/// Says that tables are stale, as tests say why they were skipped; the exit code of that.
int reportStale();

/// Median share after each number of trials. `examples` is what other tasks have taught.
std::vector<double> medianShares(const MeasuredTask &task, llvm::StringRef searcher,
                                 llvm::ArrayRef<size_t> trials,
                                 llvm::ArrayRef<Example> examples = {});

/// The part of a task's space that `keep` likes. Shares stay shares of the best of all.
MeasuredTask restricted(const MeasuredTask &task,
                        const std::function<bool(const SpaceEntry &)> &keep);

/// What so many trials of the default search teach a model.
std::vector<Example> examplesOf(const MeasuredTask &task, size_t trials);

} // namespace convoy::tuning
