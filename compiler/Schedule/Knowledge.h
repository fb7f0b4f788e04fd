// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a worker knows of the other workers in the replay of a schedule (CheckWorkers.cpp). A wait
// inside of branches gives knowledge that is only valid for inferences that take the same sides. A
// post passes all knowledge on, so it stays correct across several workers:
//
//     worker 1:  if a { wait(0) }   post      if a holds, worker 1 knows what worker 0 did
//     worker 2:  wait(1)                      and so does worker 2

#pragma once

#include "Schedule/MacroTasks.h"

namespace convoy::schedule {

/// How many ops of each worker are done.
using Clock = std::vector<int64_t>;

class Knowledge {
public:
  /// `mostSides` is the maximum number of stored clocks. Further clocks are dropped: the check may
  /// then reject a correct schedule, but it accepts no wrong one.
  Knowledge(size_t workers, size_t mostSides)
      : mostSides(mostSides), entries{{{}, Clock(workers, 0)}} {}

  /// Adds that a worker has done its first `time` ops, for all inferences.
  void set(unsigned worker, int64_t time) { entries.front().clock[worker] = time; }

  /// Adds a clock that is valid on some sides.
  void learn(const BranchSides &sides, const Clock &clock);
  /// Adds what another worker knows, for inferences that take some sides.
  void learn(const BranchSides &sides, const Knowledge &other);

  /// Returns what is valid for an inference that takes these sides.
  Clock on(llvm::ArrayRef<BranchSide> sides) const;
  /// Returns whether a worker has done its first `time` ops if an inference takes these sides.
  bool includes(unsigned worker, int64_t time, llvm::ArrayRef<BranchSide> sides) const;

private:
  struct Entry {
    BranchSides sides;
    Clock clock;
  };
  size_t mostSides;
  std::vector<Entry> entries; // the first is valid for all inferences
};

/// Returns whether no inference takes all of these sides: a branch inside of another one may have
/// the same condition.
inline bool areImpossible(llvm::ArrayRef<BranchSide> sides) { return areExclusive(sides, sides); }

/// Returns the sides that an inference takes if it takes all sides of both sets.
BranchSides joinSides(llvm::ArrayRef<BranchSide> a, llvm::ArrayRef<BranchSide> b);

} // namespace convoy::schedule
