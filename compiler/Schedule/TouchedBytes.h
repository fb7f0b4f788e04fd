// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stores which worker accessed which bytes in the replay of a schedule (CheckWorkers.cpp), and
// rejects accesses without an order. The caller decides which earlier accesses are done.

#pragma once

#include "Schedule/Knowledge.h"
#include "Schedule/Schedule.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <map>
#include <memory>
#include <set>

namespace convoy::schedule {

/// An access by a worker at a point of its local time.
struct Touch {
  unsigned worker = 0;
  int64_t time = 0;
  mlir::Operation *op = nullptr;
  std::shared_ptr<llvm::SmallVector<Access>> tensors; // all accesses of the op to tensors
  std::shared_ptr<BranchSides> sides;
  /// The parts of the last share, rounds or loop that write the bytes after this access, by word.
  std::map<int64_t, std::set<int64_t>> followers;
};

class TouchedBytes {
public:
  /// Returns whether an earlier access is done at the next op of a worker.
  using IsDone = llvm::function_ref<bool(const Touch &earlier)>;

  /// Adds an access. [schedule.3] If two accesses touch the same byte and one of them writes, waits
  /// order them, unless a run executes only one of them.
  mlir::LogicalResult add(const Access &access, const Touch &by, IsDone isDone);

  /// Calls `visit` with the writes that a read may see.
  void visitWrites(const Access &read, llvm::function_ref<void(const Touch &)> visit) const;

  /// [schedule.4] When worker 0 ends, all writes of the other workers are visible to it.
  mlir::LogicalResult checkEnd(IsDone isDone) const;

private:
  struct Segment {
    int64_t end = 0;
    llvm::SmallVector<Touch, 2> writes, reads;
  };

  static void splitAt(std::map<int64_t, Segment> &segments, int64_t byte);
  static mlir::LogicalResult check(const Segment &segment, const Access &access, const Touch &by,
                                   IsDone isDone);
  static void record(Segment &segment, const Access &access, const Touch &by, IsDone isDone);

  std::map<unsigned, std::map<int64_t, Segment>> arguments; // by number, then by first byte
};

} // namespace convoy::schedule
