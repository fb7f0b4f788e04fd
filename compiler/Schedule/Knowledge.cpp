// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the knowledge of workers for CheckWorkers.cpp: one clock per set of sides. A clock
// that adds nothing to the clocks of fewer sides is not stored.

#include "Schedule/Knowledge.h"
#include "llvm/ADT/STLExtras.h"

namespace convoy::schedule {
namespace {

void merge(Clock &clock, const Clock &other) {
  for (auto [mine, theirs] : llvm::zip(clock, other)) {
    mine = std::max(mine, theirs);
  }
}

bool isAtLeast(const Clock &clock, const Clock &other) {
  return llvm::all_of(llvm::zip(clock, other),
                      [](auto pair) { return std::get<0>(pair) >= std::get<1>(pair); });
}

} // namespace

BranchSides joinSides(llvm::ArrayRef<BranchSide> a, llvm::ArrayRef<BranchSide> b) {
  BranchSides joined(a.begin(), a.end());
  llvm::copy_if(b, std::back_inserter(joined),
                [&](const BranchSide &side) { return !llvm::is_contained(a, side); });
  return joined;
}

void Knowledge::learn(const BranchSides &sides, const Clock &clock) {
  if (isAtLeast(on(sides), clock)) {
    return;
  }
  auto isSame = [&](const Entry &entry) {
    return entry.sides.size() == sides.size() && isImplied(entry.sides, sides);
  };
  auto known = llvm::find_if(entries, isSame);
  if (known != entries.end()) {
    merge(known->clock, clock);
  } else if (entries.size() < mostSides) {
    entries.push_back({sides, clock});
  }
  // The first entry stays, even if it is empty.
  entries.erase(std::remove_if(entries.begin() + 1, entries.end(),
                               [&](const Entry &entry) {
                                 return entry.sides.size() > sides.size() &&
                                        isImplied(sides, entry.sides) &&
                                        isAtLeast(clock, entry.clock);
                               }),
                entries.end());
}

void Knowledge::learn(const BranchSides &sides, const Knowledge &other) {
  for (const Entry &entry : other.entries) {
    if (!areExclusive(sides, entry.sides)) {
      learn(joinSides(sides, entry.sides), entry.clock);
    }
  }
}

Clock Knowledge::on(llvm::ArrayRef<BranchSide> sides) const {
  Clock clock = entries.front().clock;
  for (const Entry &entry : llvm::drop_begin(entries)) {
    if (isImplied(entry.sides, sides)) {
      merge(clock, entry.clock);
    }
  }
  return clock;
}

bool Knowledge::includes(unsigned worker, int64_t time, llvm::ArrayRef<BranchSide> sides) const {
  return llvm::any_of(entries, [&](const Entry &entry) {
    return entry.clock[worker] >= time && isImplied(entry.sides, sides);
  });
}

} // namespace convoy::schedule
