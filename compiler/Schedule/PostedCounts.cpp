// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements PostedCounts.h.

#include "Schedule/PostedCounts.h"
#include "llvm/ADT/STLExtras.h"

namespace convoy::schedule {

bool PostedCounts::add(Flag flag, int64_t count, Posted posted) {
  std::map<int64_t, Posted> &counts = flags[flag];
  bool isGrowing = counts.empty() || counts.rbegin()->first < count;
  counts.insert({count, std::move(posted)});
  return isGrowing;
}

llvm::SmallVector<const PostedCounts::Posted *>
PostedCounts::satisfying(Flag flag, int64_t count, const BranchSides &sides) const {
  auto counts = flags.find(flag);
  if (counts == flags.end()) {
    return {};
  }
  llvm::SmallVector<const Posted *> found;
  for (auto it = counts->second.lower_bound(count); it != counts->second.end(); ++it) {
    if (areExclusive(it->second.sides, sides)) {
      continue;
    }
    found.push_back(&it->second);
    if (isImplied(it->second.sides, sides)) {
      return found;
    }
  }
  return {};
}

void PostedCounts::learn(Flag flag, int64_t count, const BranchSides &sides,
                         Knowledge &known) const {
  llvm::SmallVector<const Posted *> found = satisfying(flag, count, sides);
  if (found.empty()) {
    return; // no inference executes the wait
  }
  if (found.size() == 1) {
    known.learn(sides, found.front()->known);
    return;
  }
  Clock common = found.front()->known.on(joinSides(sides, found.front()->sides));
  for (const Posted *post : llvm::drop_begin(found)) {
    Clock clock = post->known.on(joinSides(sides, post->sides));
    for (auto [mine, theirs] : llvm::zip(common, clock)) {
      mine = std::min(mine, theirs);
    }
  }
  known.learn(sides, common);
}

} // namespace convoy::schedule
