// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifies a schedule by simulation. It replays every worker's list and tracks with vector clocks
// what each worker knows of the others. The check does not depend on how the waits were computed,
// so a wrong wait appears as bytes that two workers access without an order.
//
// The replay executes both sides of each branch, one after the other. What a worker learns on a
// side is only valid for inferences that take this side (Knowledge.h). Two accesses on different
// sides of branches with the same condition (SameConditions.h) need no order, because only one of
// them is executed.
//
// The body of a loop that several workers execute is replayed twice by a replay of its own, so that
// the accesses of an iteration are compared with those of the next one.

#include "Schedule/PostedCounts.h"
#include "Schedule/SameConditions.h"
#include "Schedule/TouchedBytes.h"
#include "Schedule/WorkerList.h"
#include "Task/Team.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include <map>
#include <set>

using namespace mlir;

namespace convoy::schedule {
namespace {

/// Who uses a word: the word of the first part of its share, and the worker of the part.
struct Taker {
  int64_t first;
  int64_t parts;
  std::optional<unsigned> owner;
};
using Takers = std::map<int64_t, Taker>;

class Replay {
public:
  /// Replays the lists of the workers of a region.
  Replay(ArrayRef<func::FuncOp> functions, KernelTable &kernels, Takers &takers, size_t mostSides)
      : kernels(kernels), takers(takers), functions(functions.begin(), functions.end()),
        regionWorkers(functions.size()), mostSides(mostSides) {
    for (func::FuncOp function : functions) {
      addList(function.getBody().front());
    }
  }

  /// Replays two iterations of a loop, whose parts are in the order of their numbers.
  Replay(ArrayRef<Operation *> loops, const Replay &around)
      : kernels(around.kernels), takers(around.takers), loops(loops.begin(), loops.end()),
        regionWorkers(around.regionWorkers), mostSides(around.mostSides) {
    for (Operation *loop : loops) {
      functions.push_back(loop->getParentOfType<func::FuncOp>());
      addList(bodyOf(loop));
    }
  }

  LogicalResult run() {
    for (bool hasMoved = true; hasMoved;) {
      hasMoved = false;
      for (unsigned worker = 0; worker < lists.size(); ++worker) {
        while (!isDone(worker) && !isWaiting(worker)) {
          if (failed(step(worker))) {
            return failure();
          }
          hasMoved = true;
        }
      }
    }
    for (unsigned worker = 0; worker < lists.size(); ++worker) {
      if (!isDone(worker)) {
        return reportForever(worker, event(worker).op);
      }
    }
    auto isVisible = [&](const Touch &touch) { return isBefore(touch, 0); };
    return loops.empty() ? bytes.checkEnd(isVisible) : checkRenewed();
  }

private:
  /// A part of rounds or of a loop that a worker has begun, and the sides around.
  struct Arrival {
    Operation *op = nullptr;
    BranchSides sides;
  };

  void addList(Block &block) {
    lists.push_back(eventsOf(block));
    next.push_back(0);
    times.push_back(0);
    sides.emplace_back();
    known.assign(lists.size(), Knowledge(lists.size(), mostSides));
  }

  int64_t iterationOf(unsigned worker) const {
    return static_cast<int64_t>(next[worker] / lists[worker].size());
  }
  const Event &event(unsigned worker) const {
    return lists[worker][next[worker] % lists[worker].size()];
  }
  bool isDone(unsigned worker) const {
    return next[worker] == lists[worker].size() * (loops.empty() ? 1 : 2);
  }

  /// Returns whether a worker cannot execute its next op yet: it waits for a count, or for the
  /// other workers of its rounds or of its loop.
  bool isWaiting(unsigned worker) {
    const Event &at = event(worker);
    if (at.kind != Event::Kind::Run) {
      return false;
    }
    if (std::optional<Flagging> wait = waitOf(at.op)) {
      auto [flag, count] = flagOf(*wait, worker);
      return !areImpossible(sides[worker]) && posts.satisfying(flag, count, sides[worker]).empty();
    }
    Part part = partOf(at.op);
    if (!part.op || isa<task::ShareOp>(part.op)) {
      return false;
    }
    std::map<int64_t, Arrival> &parts = arrived[{part.word, iterationOf(worker)}];
    parts[part.part] = {at.op, sides[worker]};
    return llvm::count_if(parts, [&](const auto &entry) {
             return isImplied(entry.second.sides, sides[worker]);
           }) < part.parts;
  }

  /// [schedule.1]
  static LogicalResult reportForever(unsigned worker, Operation *op) {
    std::optional<Flagging> wait = waitOf(op);
    InFlightDiagnostic error = op->emitOpError("breaks [schedule.1]: worker ")
                               << worker << " waits forever, because ";
    if (!wait) {
      return error << "not all workers of its "
                   << (task::Team::of(op) ? "loop begin it" : "rounds begin them");
    }
    return error << "worker " << wait->line << " posts no count of " << wait->count << " before";
  }

  /// Returns the flag of a wait or post, and the count that the replay compares.
  std::pair<PostedCounts::Flag, int64_t> flagOf(const Flagging &op, unsigned worker) const {
    int64_t iteration = iterationOf(worker);
    if (!op.base) {
      return {{op.line, -1}, op.count};
    }
    if (op.base == loopBase(worker)) {
      return {{op.line, -1}, op.count + iteration * task::Team::of(loops[worker])->steps};
    }
    return {{op.line, iteration}, op.count};
  }

  /// Returns the base of the counts of the replayed loop, or null for a region.
  Value loopBase(unsigned worker) const {
    return loops.empty() ? Value() : bodyOf(loops[worker]).getArguments().back();
  }

  LogicalResult step(unsigned worker) {
    const Event &at = event(worker);
    known[worker].set(worker, ++times[worker]);
    if (at.kind == Event::Kind::Enter) {
      Value condition = cast<scf::IfOp>(at.op).getCondition();
      Block *body = loops.empty() ? nullptr : &bodyOf(loops[worker]);
      EvaluationPoint point{sides[worker], functions[worker], body, iterationOf(worker)};
      sides[worker].push_back({conditions.conditionOf(condition, point), at.isThen});
    } else if (at.kind == Event::Kind::Leave) {
      sides[worker].pop_back();
    } else if (std::optional<Flagging> wait = waitOf(at.op)) {
      auto [flag, count] = flagOf(*wait, worker);
      posts.learn(flag, count, sides[worker], known[worker]);
    } else if (failed(run(worker, at.op))) {
      return failure();
    }
    ++next[worker];
    return success();
  }

  LogicalResult run(unsigned worker, Operation *op) {
    if (std::optional<Flagging> post = postOf(op)) {
      return runPost(worker, *post);
    }
    if (auto renew = dyn_cast<task::TeamRenewOp>(op)) {
      return runRenew(worker, renew);
    }
    Part part = partOf(op);
    if (part.op && iterationOf(worker) == 0 && failed(take(worker, part))) {
      return failure();
    }
    if (isa<task::ShareOp>(op)) {
      shares[{part.word, iterationOf(worker)}].push_back(touchOf(worker, op));
    }
    if (task::Team::of(op) && part.part == 0 && iterationOf(worker) == 0 &&
        failed(runLoop(op, worker))) {
      return failure();
    }
    return touchAll(worker, op);
  }

  /// Returns a touch of no bytes.
  Touch touchOf(unsigned worker, Operation *op) const {
    return {worker, times[worker], op, nullptr, std::make_shared<BranchSides>(sides[worker]), {}};
  }

  LogicalResult touchAll(unsigned worker, Operation *op) {
    FailureOr<SmallVector<Access>> tensors =
        accessesOf(op, functions[worker], kernels, /*withScratch=*/false);
    FailureOr<SmallVector<Access>> accesses =
        accessesOf(op, functions[worker], kernels, /*withScratch=*/true);
    if (failed(accesses) || failed(tensors)) {
      return failure();
    }
    Touch by = touchOf(worker, op);
    by.tensors = std::make_shared<SmallVector<Access>>(std::move(*tensors));
    auto isDone = [&](const Touch &earlier) { return isBefore(earlier, worker); };
    for (const Access &access : *accesses) {
      if (failed(bytes.add(access, by, isDone))) {
        return failure();
      }
    }
    return success();
  }

  /// [schedule.2]
  LogicalResult runPost(unsigned worker, const Flagging &post) {
    auto [flag, count] = flagOf(post, worker);
    auto line = static_cast<unsigned>(post.line);
    bool isOwn = line >= regionWorkers ? owners.try_emplace(line, worker).first->second == worker
                                       : line == worker;
    bool isGrowing = posts.add(flag, count, {known[worker], sides[worker]});
    if (!isOwn || !isGrowing) {
      return post.op->emitOpError("breaks [schedule.2]: worker ")
             << worker << " must post to its own flag, each time with a greater count";
    }
    return success();
  }

  /// [schedule.6] A word is cleared after all workers have left the share.
  LogicalResult runRenew(unsigned worker, task::TeamRenewOp renew) {
    auto word = static_cast<int64_t>(renew.getWord());
    auto taker = takers.find(word);
    bool isOwn = taker != takers.end() && taker->second.owner == worker;
    auto isLeft = [&](const Touch &share) { return isBefore(share, worker); };
    auto haveAllLeft = [&] {
      const SmallVector<Touch> &begun = shares[{taker->second.first, iterationOf(worker)}];
      return static_cast<int64_t>(begun.size()) == taker->second.parts &&
             llvm::all_of(begun, isLeft);
    };
    if (loops.empty() || !isOwn || !haveAllLeft()) {
      return renew->emitOpError("breaks [schedule.6]: worker ")
             << worker << " may clear only the word of its own part, after all workers of the loop "
             << "have left the share";
    }
    renewed.insert(word);
    return success();
  }

  /// [schedule.6] The words of all shares of a loop are cleared in each iteration.
  LogicalResult checkRenewed() {
    for (const std::vector<Event> &list : lists) {
      for (const Event &at : list) {
        auto share = dyn_cast<task::ShareOp>(at.op);
        Part part = share ? partOf(share.getOperation()) : Part();
        if (share && renewed.count(part.word + part.part * part.elems) == 0) {
          return share->emitOpError(
              "breaks [schedule.6]: no task.team_renew clears the word of this part");
        }
      }
    }
    return success();
  }

  /// Replays the body of a loop that all its workers have reached.
  LogicalResult runLoop(Operation *loop, unsigned worker) {
    Part part = partOf(loop);
    SmallVector<Operation *> parts;
    for (auto &[number, arrival] : arrived[{part.word, iterationOf(worker)}]) {
      parts.push_back(arrival.op);
    }
    bool isLast = llvm::all_of(parts, [](Operation *op) {
      Value base = bodyOf(op).getTerminator()->getOperands().back();
      auto sum = base.getDefiningOp<arith::AddIOp>();
      APInt steps;
      return sum && sum.getLhs() == bodyOf(op).getArguments().back() &&
             matchPattern(sum.getRhs(), m_ConstantInt(&steps)) &&
             steps.getSExtValue() == task::Team::of(op)->steps;
    });
    if (!isLast) {
      return loop->emitOpError("breaks [schedule.6]: each worker of a loop must carry the base as "
                               "the last value and add the steps of the iteration to it");
    }
    return Replay(parts, *this).run();
  }

  /// [schedule.5] Only the parts of one run use its words or flags, and each part occurs once.
  LogicalResult take(unsigned worker, const Part &part) {
    for (int64_t i = 0; i < part.parts * part.elems; i += task::kWordElems) {
      int64_t word = part.word + i;
      bool isOwn = i == part.part * part.elems;
      auto [it, isNew] = takers.try_emplace(word, Taker{part.word, part.parts, std::nullopt});
      if (it->second.first != part.word || (isOwn && it->second.owner) ||
          word < static_cast<int64_t>(regionWorkers) * task::kFlagElems) {
        return part.op->emitOpError("breaks [schedule.5]: word ")
               << word << " is already used by another flag or share";
      }
      if (isOwn) {
        it->second.owner = worker;
      }
    }
    return success();
  }

  /// Returns whether an earlier access is done if an inference executes it and the next op of a
  /// worker. This is also the case if no inference executes both.
  bool isBefore(const Touch &earlier, unsigned worker) const {
    BranchSides together = joinSides(sides[worker], *earlier.sides);
    return earlier.worker == worker || areImpossible(together) ||
           known[worker].includes(earlier.worker, earlier.time, together);
  }

  KernelTable &kernels;
  Takers &takers; // by word
  SmallVector<func::FuncOp> functions;
  SmallVector<Operation *> loops; // by worker: its loop; empty for a region
  size_t regionWorkers;
  size_t mostSides;                      // for which a worker has knowledge
  std::vector<std::vector<Event>> lists; // by worker
  std::vector<size_t> next;              // by worker: the position in its list, across iterations
  std::vector<int64_t> times;            // by worker: the number of its ops so far
  std::vector<BranchSides> sides;        // by worker: around its next op
  std::vector<Knowledge> known;          // by worker
  PostedCounts posts;
  TouchedBytes bytes;
  SameConditions conditions{kernels, bytes};
  std::map<unsigned, unsigned> owners;                              // of the flags of loops
  std::map<std::pair<int64_t, int64_t>, SmallVector<Touch>> shares; // by word and iteration
  std::set<int64_t> renewed;
  /// By word and iteration: the parts of rounds or of a loop that have begun.
  std::map<std::pair<int64_t, int64_t>, std::map<int64_t, Arrival>> arrived;
};

} // namespace

LogicalResult checkWorkers(ArrayRef<func::FuncOp> workers, KernelTable &kernels,
                           int64_t mostSides) {
  Takers takers;
  return Replay(workers, kernels, takers, static_cast<size_t>(mostSides)).run();
}

} // namespace convoy::schedule
