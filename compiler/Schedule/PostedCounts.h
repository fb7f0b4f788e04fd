// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stores the counts that workers have posted in the replay of a schedule (CheckWorkers.cpp), with
// what each worker knew when it posted.

#pragma once

#include "Schedule/Knowledge.h"
#include <map>

namespace convoy::schedule {

class PostedCounts {
public:
  /// A flag, and the kind of its counts: counts of the start of a loop restart in each iteration.
  using Flag = std::pair<int64_t, int64_t>;
  /// What a worker knew when it posted a count, and the sides around.
  struct Posted {
    Knowledge known;
    BranchSides sides;
  };

  /// Adds a post. Returns false if its count is not greater than the last one of the flag.
  bool add(Flag flag, int64_t count, Posted posted);

  /// Returns the posts of which one satisfies a wait on some sides, up to the first that is certain
  /// to be executed. Returns no posts if none is certain yet.
  llvm::SmallVector<const Posted *> satisfying(Flag flag, int64_t count,
                                               const BranchSides &sides) const;

  /// Adds what a satisfied wait guarantees to the knowledge of a worker: the knowledge of the post,
  /// or what is common to the posts that may satisfy it.
  void learn(Flag flag, int64_t count, const BranchSides &sides, Knowledge &known) const;

private:
  std::map<Flag, std::map<int64_t, Posted>> flags; // by count
};

} // namespace convoy::schedule
