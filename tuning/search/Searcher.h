// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the next configurations of a task to measure. A searcher proposes entries of a space
// and receives their results. It neither builds nor measures. A proposal is a function of the
// options, of the number of the round, and of the earlier proposals and results in their order.

#pragma once

#include "tuning/cost/CostModel.h"
#include <optional>

namespace convoy::tuning {

struct Trial {
  /// The index in TaskSpace::entries.
  size_t entry = 0;
  /// The time of one run; nothing if the candidate failed.
  std::optional<double> seconds;
};

class Searcher {
public:
  virtual ~Searcher() = default;
  /// Returns up to `count` entries that were not proposed before. Returns none if all entries
  /// were proposed. Random choices depend on the seed and the round only. The model answers for
  /// proposals without results.
  virtual std::vector<size_t> propose(size_t count, int64_t round) = 0;
  /// Repeats a proposal of the search that this searcher continues.
  virtual void restore(llvm::ArrayRef<size_t> entries) = 0;
  /// Passes the results of proposals or of other trials.
  virtual void update(llvm::ArrayRef<Trial> trials) = 0;
};

struct SearchOptions {
  uint64_t seed = 0;
  /// The examples of other tasks on this target with these templates, centered per task.
  std::vector<Example> examples;
};

/// Returns a seed that depends on both numbers.
uint64_t mixSeeds(uint64_t a, uint64_t b);

/// Returns the names of the searchers. The default, "mixed", is first.
llvm::ArrayRef<llvm::StringRef> searcherNames();

/// Creates the searcher with this name. The space must outlive it. The error lists the valid
/// names.
llvm::Expected<std::unique_ptr<Searcher>>
createSearcher(llvm::StringRef name, const TaskSpace &space, const SearchOptions &options);

/// Returns the best trial for each pair of input and output layouts, fastest first. The Layout
/// stage chooses from them. A pair is dropped if it is slower than the fastest by more than
/// `reorderSeconds`, an upper bound of reordering input and output.
std::vector<Trial> bestPerLayouts(const TaskSpace &space, llvm::ArrayRef<Trial> trials,
                                  double reorderSeconds);

} // namespace convoy::tuning
