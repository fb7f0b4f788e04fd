// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements TouchedBytes.h. The bytes of each argument are segments that were accessed alike. A
// segment forgets an access if a later one follows it in every inference, because an op that has no
// order relative to the earlier access then has none relative to the later one.

#include "Schedule/TouchedBytes.h"
#include "Schedule/WorkerList.h"
#include "Task/Team.h"

using namespace mlir;

namespace convoy::schedule {
namespace {

/// Returns whether two ops are parts of one run or of one loop: the same words or flags, and the
/// same kernel on the same memory. A replay of its own checks the parts of a loop.
bool areParts(const Touch &a, const Touch &b) {
  Part one = partOf(a.op);
  Part other = partOf(b.op);
  auto isSame = [](const Access &x, const Access &y) {
    return x.argument == y.argument && x.begin == y.begin && x.end == y.end;
  };
  if (!one.op || !other.op || one.op->getName() != other.op->getName() || one.word != other.word ||
      one.part == other.part || one.parts != other.parts || one.range != other.range ||
      one.rounds != other.rounds) {
    return false;
  }
  if (task::Team::of(one.op)) {
    return true;
  }
  task::CallOp first = calledIn(one);
  task::CallOp second = calledIn(other);
  return first && second && first.getKernel() == second.getKernel() &&
         llvm::equal(*a.tensors, *b.tensors, isSame);
}

LogicalResult report(const Access &access, const Touch &earlier, const Touch &by) {
  InFlightDiagnostic error = by.op->emitOpError("breaks [schedule.3]: worker ")
                             << by.worker << " accesses bytes " << access.begin << " to "
                             << access.end << " of argument " << access.argument
                             << " without an order relative to worker " << earlier.worker;
  error.attachNote(earlier.op->getLoc()) << "the unordered access of the other worker is here";
  return error;
}

} // namespace

void TouchedBytes::splitAt(std::map<int64_t, Segment> &segments, int64_t byte) {
  auto after = segments.upper_bound(byte);
  if (after == segments.begin()) {
    return;
  }
  auto it = std::prev(after);
  if (it->first < byte && byte < it->second.end) {
    segments[byte] = it->second;
    it->second.end = byte;
  }
}

LogicalResult TouchedBytes::check(const Segment &segment, const Access &access, const Touch &by,
                                  IsDone isDone) {
  auto checkAgainst = [&](ArrayRef<Touch> touches) -> LogicalResult {
    for (const Touch &earlier : touches) {
      if (!isDone(earlier) && !areParts(earlier, by)) {
        return report(access, earlier, by);
      }
    }
    return success();
  };
  if (failed(checkAgainst(segment.writes))) {
    return failure();
  }
  return access.isWrite ? checkAgainst(segment.reads) : success();
}

void TouchedBytes::record(Segment &segment, const Access &access, const Touch &by, IsDone isDone) {
  Part part = partOf(by.op);
  // Each part of a run or of a loop must come after an earlier access.
  auto isFollowed = [&](Touch &touch) {
    std::set<int64_t> &parts = touch.followers[part.word];
    parts.insert(part.part);
    return static_cast<int64_t>(parts.size()) >= part.parts;
  };
  auto forget = [&](SmallVectorImpl<Touch> &touches) {
    llvm::erase_if(touches, [&](Touch &touch) {
      return isDone(touch) && touch.op != by.op && isImplied(*by.sides, *touch.sides) &&
             (!part.op || isFollowed(touch));
    });
  };
  forget(segment.reads);
  if (access.isWrite) {
    forget(segment.writes);
    segment.writes.push_back(by);
  } else {
    segment.reads.push_back(by);
  }
}

LogicalResult TouchedBytes::add(const Access &access, const Touch &by, IsDone isDone) {
  std::map<int64_t, Segment> &segments = arguments[access.argument];
  splitAt(segments, access.begin);
  splitAt(segments, access.end);
  int64_t at = access.begin;
  while (at < access.end) {
    auto it = segments.lower_bound(at);
    int64_t until = it == segments.end() ? access.end : std::min(access.end, it->first);
    if (at < until) {
      it = segments.try_emplace(at, Segment{until, {}, {}}).first;
    }
    if (failed(check(it->second, access, by, isDone))) {
      return failure();
    }
    record(it->second, access, by, isDone);
    at = it->second.end;
  }
  return success();
}

void TouchedBytes::visitWrites(const Access &read,
                               llvm::function_ref<void(const Touch &)> visit) const {
  auto segments = arguments.find(read.argument);
  if (segments == arguments.end()) {
    return;
  }
  for (const auto &[begin, segment] : segments->second) {
    if (begin < read.end && read.begin < segment.end) {
      llvm::for_each(segment.writes, visit);
    }
  }
}

LogicalResult TouchedBytes::checkEnd(IsDone isDone) const {
  for (const auto &[argument, segments] : arguments) {
    for (const auto &[begin, segment] : segments) {
      for (const Touch &touch : segment.writes) {
        if (!isDone(touch)) {
          return touch.op->emitOpError("breaks [schedule.4]: worker ")
                 << touch.worker << " may execute this op after the region has ended";
        }
      }
    }
  }
  return success();
}

} // namespace convoy::schedule
