// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which configurations of a task to try next. A searcher proposes entries of a space
// and hears what became of them; it neither builds nor measures, and with the same seed
// and the same answers it proposes the same.

#pragma once

#include "tuning/cost/CostModel.h"
#include <optional>

namespace convoy::tuning {

struct Trial {
  /// Place in TaskSpace::entries.
  size_t entry = 0;
  /// Of one run; nothing when the candidate failed.
  std::optional<double> seconds;
};

class Searcher {
public:
  virtual ~Searcher() = default;
  /// Up to `count` entries that were not proposed before; none when all were.
  virtual std::vector<size_t> propose(size_t count) = 0;
  /// Tells what became of proposals, or of trials that others made.
  virtual void update(llvm::ArrayRef<Trial> trials) = 0;
};

struct SearchOptions {
  uint64_t seed = 0;
  /// What other tasks have taught on this target with these templates, each task's
  /// examples centred.
  std::vector<Example> examples;
};

/// "mixed", the default, first.
llvm::ArrayRef<llvm::StringRef> searcherNames();

/// The searcher of that name. The space must outlive it. The error lists the names.
llvm::Expected<std::unique_ptr<Searcher>>
createSearcher(llvm::StringRef name, const TaskSpace &space, const SearchOptions &options);

/// The best trial between each pair of input and output layouts, fastest first: what the
/// layout stage chooses from. A pair is left out when it loses to the fastest by more
/// than `reorderSeconds`, a bound of bringing input and output to other layouts.
std::vector<Trial> bestPerLayouts(const TaskSpace &space, llvm::ArrayRef<Trial> trials,
                                  double reorderSeconds);

} // namespace convoy::tuning
