// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifies a schedule by simulation. It replays every worker's list and tracks with vector clocks
// what each worker knows of the others. The check does not depend on how the waits were computed,
// so a wrong wait appears as bytes that two workers access without an order.

#include "Schedule/Schedule.h"
#include "Task/Task.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include <map>

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

/// Returns the share that an op is or guards, or null if the op has other effects.
task::ShareOp shareIn(Operation *op) {
  if (auto share = dyn_cast<task::ShareOp>(op)) {
    return share;
  }
  task::ShareOp found;
  for (Region &region : op->getRegions()) {
    for (Operation &inner : region.getOps()) {
      bool isOther = !isMemoryEffectFree(&inner) && !isa<memref::LoadOp>(inner);
      task::ShareOp share = shareIn(&inner);
      if ((isOther && !share) || (share && found)) {
        return nullptr;
      }
      found = share ? share : found;
    }
  }
  return isa<scf::IfOp>(op) ? found : nullptr;
}

/// Returns the call whose steps are shared, or null if the body has other ops or the call does not
/// use the taken steps.
func::CallOp sharedCall(task::ShareOp share) {
  Block &body = share.getBody().front();
  auto call = llvm::hasSingleElement(body) ? dyn_cast<func::CallOp>(body.front()) : nullptr;
  unsigned count = call ? call.getNumOperands() : 0;
  bool isOverTaken = count >= 2 && call.getOperand(count - 2) == body.getArgument(0) &&
                     call.getOperand(count - 1) == body.getArgument(1);
  return isOverTaken ? call : nullptr;
}

/// Returns whether two ops are parts of one share: the same kernel on the same memory, with the
/// same words.
bool areShares(const Touch &a, const Touch &b) {
  task::ShareOp one = shareIn(a.op);
  task::ShareOp other = shareIn(b.op);
  auto isSame = [](const Access &x, const Access &y) {
    return x.argument == y.argument && x.begin == y.begin && x.end == y.end;
  };
  if (!one || !other || one.getWord() != other.getWord() || one.getPart() == other.getPart() ||
      one.getParts() != other.getParts() || one.getRange() != other.getRange() ||
      !llvm::equal(*a.tensors, *b.tensors, isSame)) {
    return false;
  }
  func::CallOp first = sharedCall(one);
  func::CallOp second = sharedCall(other);
  return first && second && first.getCallee() == second.getCallee();
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
      if (!isDone(worker)) { // [schedule.1]
        auto wait = cast<task::WaitOp>(*next[worker]);
        return wait.emitOpError("breaks [schedule.1]: worker ")
               << worker << " waits forever, because worker " << wait.getWorker()
               << " posts no count of " << wait.getCount() << " before";
      }
    }
    return checkEnd();
  }

private:
  bool isDone(unsigned worker) { return next[worker] == workers[worker].getBody().front().end(); }

  bool isWaiting(unsigned worker) {
    auto wait = dyn_cast<task::WaitOp>(*next[worker]);
    return wait && postFor(wait) == nullptr;
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
    WalkResult taken = op->walk([&](task::ShareOp share) {
      return failed(take(worker, share)) ? WalkResult::interrupt() : WalkResult::advance();
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

  /// [schedule.5] Only the parts of one share use its words, and each part occurs once.
  LogicalResult take(unsigned worker, task::ShareOp share) {
    for (int64_t part = 0; part < static_cast<int64_t>(share.getParts()); ++part) {
      int64_t word = static_cast<int64_t>(share.getWord()) + part * task::kWordElems;
      int64_t first = static_cast<int64_t>(share.getWord());
      bool isOwn = part == static_cast<int64_t>(share.getPart());
      auto [it, isNew] = takers.try_emplace(word, Taker{first, std::nullopt});
      if (it->second.first != first || (isOwn && it->second.owner) ||
          word < static_cast<int64_t>(workers.size()) * task::kFlagElems) {
        return share.emitOpError("breaks [schedule.5]: word ")
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
        if (!isBefore(earlier, by.worker) && !areShares(earlier, by)) {
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
    int64_t first; // word of the share
    std::optional<unsigned> owner;
  };

  KernelTable &kernels;
  SmallVector<func::FuncOp> workers;
  std::vector<Block::iterator> next;
  std::vector<Clock> now;                      // by worker: its knowledge of all workers
  std::vector<std::map<int64_t, Clock>> posts; // by worker and count
  std::map<unsigned, std::map<int64_t, Segment>> bytes;
  std::map<int64_t, Taker> takers; // by word
};

} // namespace

LogicalResult checkWorkers(ArrayRef<func::FuncOp> workers, KernelTable &kernels) {
  return Replay(workers, kernels).run();
}

} // namespace convoy::schedule
