// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifies a schedule by simulation. It replays every worker's list and tracks with vector clocks
// what each worker knows of the others. The check does not depend on how the waits were computed,
// so a wrong wait appears as bytes that two workers access without an order.

#include "Schedule/Schedule.h"
#include "Task/Task.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include <map>
#include <set>

using namespace mlir;

namespace convoy::schedule {
namespace {

using Clock = std::vector<int64_t>;

/// An access by a worker at a point of its local time.
struct Touch {
  unsigned worker = 0;
  int64_t time = 0;
  Operation *op = nullptr;
  std::shared_ptr<SmallVector<Access>> tensors; // all accesses of the op to tensors
};

struct Segment {
  int64_t end = 0;
  SmallVector<Touch, 2> writes, reads;
};

/// A part of a run that several workers execute: a share or rounds.
struct Part {
  Operation *op = nullptr;
  int64_t word = 0; // the first element of the words or flags
  int64_t elems = 0;
  int64_t part = 0;
  int64_t parts = 0;
  int64_t range = 0;
  int64_t rounds = 1;
};

template <typename Op>
Part partOf(Op op, int64_t elems) {
  return {op,
          static_cast<int64_t>(op.getWord()),
          elems,
          static_cast<int64_t>(op.getPart()),
          static_cast<int64_t>(op.getParts()),
          static_cast<int64_t>(op.getRange()),
          /*rounds=*/1};
}

/// Returns the part that an op is, or a null part.
Part partOf(Operation *op) {
  if (auto share = dyn_cast<task::ShareOp>(op)) {
    return partOf(share, task::kWordElems);
  }
  auto rounds = dyn_cast<task::RoundsOp>(op);
  Part part = rounds ? partOf(rounds, task::kFlagElems) : Part();
  part.rounds = rounds ? static_cast<int64_t>(rounds.getRounds()) : 1;
  return part;
}

/// Returns the part that an op is or guards, or a null part if the op has other effects.
Part partIn(Operation *op) {
  if (Part part = partOf(op); part.op) {
    return part;
  }
  Part found;
  for (Region &region : op->getRegions()) {
    for (Operation &inner : region.getOps()) {
      bool isOther = !isMemoryEffectFree(&inner) && !isa<memref::LoadOp>(inner);
      Part part = partIn(&inner);
      if ((isOther && !part.op) || (part.op && found.op)) {
        return {};
      }
      found = part.op ? part : found;
    }
  }
  return isa<scf::IfOp>(op) ? found : Part();
}

/// Returns the call of which the workers execute parts, or null if the body has other ops or the
/// call does not use the steps of the worker.
task::CallOp calledIn(const Part &part) {
  Block &body = part.op->getRegion(0).front();
  auto call = llvm::hasSingleElement(body) ? dyn_cast<task::CallOp>(body.front()) : nullptr;
  bool isOverTaken =
      call && call.getBegin() == body.getArgument(0) && call.getEnd() == body.getArgument(1);
  return isOverTaken ? call : nullptr;
}

/// Returns whether two ops are parts of one run: the same kernel on the same memory, with the same
/// words or flags.
bool areParts(const Touch &a, const Touch &b) {
  Part one = partIn(a.op);
  Part other = partIn(b.op);
  auto isSame = [](const Access &x, const Access &y) {
    return x.argument == y.argument && x.begin == y.begin && x.end == y.end;
  };
  if (!one.op || !other.op || one.op->getName() != other.op->getName() || one.word != other.word ||
      one.part == other.part || one.parts != other.parts || one.range != other.range ||
      one.rounds != other.rounds || !llvm::equal(*a.tensors, *b.tensors, isSame)) {
    return false;
  }
  task::CallOp first = calledIn(one);
  task::CallOp second = calledIn(other);
  return first && second && first.getKernel() == second.getKernel();
}

class Replay {
public:
  Replay(ArrayRef<func::FuncOp> workers, KernelTable &kernels)
      : kernels(kernels), workers(workers.begin(), workers.end()),
        now(workers.size(), Clock(workers.size(), 0)), posts(workers.size()) {
    for (func::FuncOp worker : workers) {
      next.push_back(worker.getBody().front().begin());
    }
  }

  LogicalResult run() {
    for (bool hasMoved = true; hasMoved;) {
      hasMoved = false;
      for (unsigned worker = 0; worker < workers.size(); ++worker) {
        while (!isDone(worker) && !isWaiting(worker)) {
          if (failed(step(worker, &*next[worker]++))) {
            return failure();
          }
          hasMoved = true;
        }
      }
    }
    for (unsigned worker = 0; worker < workers.size(); ++worker) {
      if (!isDone(worker)) {
        return reportForever(worker, &*next[worker]);
      }
    }
    return checkEnd();
  }

private:
  bool isDone(unsigned worker) { return next[worker] == workers[worker].getBody().front().end(); }

  /// Returns whether a worker cannot execute its next op yet: it waits for a count, or for the
  /// other workers of its rounds.
  bool isWaiting(unsigned worker) {
    Operation *op = &*next[worker];
    if (auto wait = dyn_cast<task::WaitOp>(op)) {
      return postFor(wait) == nullptr;
    }
    Part part = partIn(op);
    if (!isa_and_nonnull<task::RoundsOp>(part.op)) {
      return false;
    }
    std::set<int64_t> &parts = arrived[part.word];
    parts.insert(part.part);
    return static_cast<int64_t>(parts.size()) < part.parts;
  }

  /// [schedule.1]
  static LogicalResult reportForever(unsigned worker, Operation *op) {
    auto wait = dyn_cast<task::WaitOp>(op);
    InFlightDiagnostic error = op->emitOpError("breaks [schedule.1]: worker ")
                               << worker << " waits forever, because ";
    if (!wait) {
      return error << "not all workers of its rounds begin them";
    }
    return error << "worker " << wait.getWorker() << " posts no count of " << wait.getCount()
                 << " before";
  }

  /// Returns the knowledge that a wait guarantees: the clock of the first post that satisfies it.
  const Clock *postFor(task::WaitOp wait) {
    if (wait.getWorker() >= workers.size()) {
      return nullptr;
    }
    const auto &list = posts[wait.getWorker()];
    auto it = list.lower_bound(static_cast<int64_t>(wait.getCount()));
    return it == list.end() ? nullptr : &it->second;
  }

  LogicalResult step(unsigned worker, Operation *op) {
    Clock &clock = now[worker];
    ++clock[worker];
    if (auto wait = dyn_cast<task::WaitOp>(op)) {
      for (auto [mine, theirs] : llvm::zip(clock, *postFor(wait))) {
        mine = std::max(mine, theirs);
      }
      return success();
    }
    if (auto post = dyn_cast<task::PostOp>(op)) {
      int64_t count = static_cast<int64_t>(post.getCount());
      bool isGrowing = posts[worker].empty() || posts[worker].rbegin()->first < count;
      if (post.getWorker() != worker || !isGrowing) { // [schedule.2]
        return op->emitOpError("breaks [schedule.2]: worker ")
               << worker << " must post to its own flag, each time with a greater count";
      }
      posts[worker][count] = clock;
      return success();
    }
    WalkResult taken = op->walk([&](Operation *inner) {
      Part part = partOf(inner);
      return part.op && failed(take(worker, part)) ? WalkResult::interrupt()
                                                   : WalkResult::advance();
    });
    if (taken.wasInterrupted()) {
      return failure();
    }
    FailureOr<SmallVector<Access>> tensors =
        accessesOf(op, workers[worker], kernels, /*withScratch=*/false);
    FailureOr<SmallVector<Access>> accesses =
        accessesOf(op, workers[worker], kernels, /*withScratch=*/true);
    if (failed(accesses) || failed(tensors)) {
      return failure();
    }
    Touch by{worker, clock[worker], op, std::make_shared<SmallVector<Access>>(std::move(*tensors))};
    for (const Access &access : *accesses) {
      if (failed(touch(access, by))) {
        return failure();
      }
    }
    return success();
  }

  /// [schedule.5] Only the parts of one run use its words or flags, and each part occurs once.
  LogicalResult take(unsigned worker, const Part &part) {
    for (int64_t i = 0; i < part.parts * part.elems; i += task::kWordElems) {
      int64_t word = part.word + i;
      bool isOwn = i == part.part * part.elems;
      auto [it, isNew] = takers.try_emplace(word, Taker{part.word, std::nullopt});
      if (it->second.first != part.word || (isOwn && it->second.owner) ||
          word < static_cast<int64_t>(workers.size()) * task::kFlagElems) {
        return part.op->emitOpError("breaks [schedule.5]: word ")
               << word << " is already used by another flag or share";
      }
      if (isOwn) {
        it->second.owner = worker;
      }
    }
    return success();
  }

  bool isBefore(const Touch &earlier, unsigned worker) const {
    return now[worker][earlier.worker] >= earlier.time;
  }

  /// [schedule.3] If two accesses touch the same byte and one of them writes, waits order them.
  LogicalResult touch(const Access &access, const Touch &by) {
    std::map<int64_t, Segment> &segments = bytes[access.argument];
    splitAt(segments, access.begin);
    splitAt(segments, access.end);
    int64_t at = access.begin;
    while (at < access.end) {
      auto it = segments.lower_bound(at);
      int64_t until = it == segments.end() ? access.end : std::min(access.end, it->first);
      if (at < until) {
        it = segments.try_emplace(at, Segment{until, {}, {}}).first;
      }
      if (failed(touch(it->second, access, by))) {
        return failure();
      }
      at = it->second.end;
    }
    return success();
  }

  LogicalResult touch(Segment &segment, const Access &access, const Touch &by) {
    auto check = [&](SmallVectorImpl<Touch> &touches) -> LogicalResult {
      for (const Touch &earlier : touches) {
        if (!isBefore(earlier, by.worker) && !areParts(earlier, by)) {
          return report(access, earlier, by);
        }
      }
      return success();
    };
    if (failed(check(segment.writes)) || (access.isWrite && failed(check(segment.reads)))) {
      return failure();
    }
    auto forget = [&](SmallVectorImpl<Touch> &touches) {
      llvm::erase_if(touches, [&](const Touch &touch) {
        return isBefore(touch, by.worker) && touch.op != by.op;
      });
    };
    if (access.isWrite) {
      forget(segment.writes);
      forget(segment.reads);
      segment.writes.push_back(by);
    } else {
      forget(segment.reads);
      segment.reads.push_back(by);
    }
    return success();
  }

  static LogicalResult report(const Access &access, const Touch &earlier, const Touch &by) {
    InFlightDiagnostic error = by.op->emitOpError("breaks [schedule.3]: worker ")
                               << by.worker << " accesses bytes " << access.begin << " to "
                               << access.end << " of argument " << access.argument
                               << " without an order relative to worker " << earlier.worker;
    error.attachNote(earlier.op->getLoc()) << "the unordered access of the other worker is here";
    return error;
  }

  static void splitAt(std::map<int64_t, Segment> &segments, int64_t byte) {
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

  /// [schedule.4] When worker 0 ends, all writes of the other workers are visible to it.
  LogicalResult checkEnd() {
    for (auto &[argument, segments] : bytes) {
      for (auto &[begin, segment] : segments) {
        for (const Touch &touch : segment.writes) {
          if (!isBefore(touch, 0)) {
            return touch.op->emitOpError("breaks [schedule.4]: worker ")
                   << touch.worker << " may execute this op after the region has ended";
          }
        }
      }
    }
    return success();
  }

  struct Taker {
    int64_t first; // word of the first part
    std::optional<unsigned> owner;
  };

  KernelTable &kernels;
  SmallVector<func::FuncOp> workers;
  std::vector<Block::iterator> next;
  std::vector<Clock> now;                      // by worker: its knowledge of all workers
  std::vector<std::map<int64_t, Clock>> posts; // by worker and count
  std::map<unsigned, std::map<int64_t, Segment>> bytes;
  std::map<int64_t, Taker> takers;              // by word
  std::map<int64_t, std::set<int64_t>> arrived; // by word of rounds: the parts that have begun
};

} // namespace

LogicalResult checkWorkers(ArrayRef<func::FuncOp> workers, KernelTable &kernels) {
  return Replay(workers, kernels).run();
}

} // namespace convoy::schedule
