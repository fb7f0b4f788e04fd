// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifies a schedule by simulation. It replays every worker's list and tracks with vector clocks
// what each worker knows of the others. The check does not depend on how the waits were computed,
// so a wrong wait appears as bytes that two workers access without an order.
//
// The replay executes both sides of each branch, one after the other. What a worker learns on a
// side is only valid for inferences that take this side (Knowledge.h). Two accesses on different
// sides of branches with the same condition need no order, because only one of them is executed.
// Two conditions are the same if the same ops compute them from the same bytes after the same
// writes. Writes that are never executed together with one of the two do not count, because sides
// that exclude each other may use the same bytes.
//
// The body of a loop that several workers execute is replayed twice by a replay of its own, so that
// the accesses of an iteration are compared with those of the next one.

#include "Schedule/Knowledge.h"
#include "Schedule/Schedule.h"
#include "Task/Team.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/raw_ostream.h"
#include <map>
#include <set>

using namespace mlir;

namespace convoy::schedule {
namespace {

/// An entry of the list of a worker.
struct Event {
  enum class Kind { Run, Enter, Leave };
  Kind kind = Kind::Run;
  Operation *op = nullptr; // the branch of Enter and Leave
  bool isThen = true;
};

void linearize(Block &block, std::vector<Event> &events) {
  for (Operation &op : block) {
    auto branch = dyn_cast<scf::IfOp>(op);
    if (!branch) {
      events.push_back({Event::Kind::Run, &op, true});
      continue;
    }
    for (Region *side : branch.getRegions()) {
      if (!side->empty()) {
        bool isThen = side == &branch.getThenRegion();
        events.push_back({Event::Kind::Enter, branch, isThen});
        linearize(side->front(), events);
        events.push_back({Event::Kind::Leave, branch, isThen});
      }
    }
  }
}

/// An access by a worker at a point of its local time.
struct Touch {
  unsigned worker = 0;
  int64_t time = 0;
  Operation *op = nullptr;
  std::shared_ptr<SmallVector<Access>> tensors; // all accesses of the op to tensors
  std::shared_ptr<BranchSides> sides;
  /// The parts of the last share, rounds or loop that write the bytes after this access, by word.
  std::map<int64_t, std::set<int64_t>> followers;
};

struct Segment {
  int64_t end = 0;
  SmallVector<Touch, 2> writes, reads;
};

/// An evaluation of a condition: the sides around it and the writes that it sees.
struct Evaluation {
  BranchSides sides;
  std::map<std::pair<unsigned, int64_t>, BranchSides> writes; // by worker and time
};

/// Evaluations that give the same value. Its address stands for the condition.
struct Condition {
  std::vector<Evaluation> evaluations;
};

/// Returns whether no inference takes all of these sides: a branch inside of another one may have
/// the same condition.
bool areImpossible(const BranchSides &sides) { return areExclusive(sides, sides); }

/// Returns whether the same ops have the same value in two evaluations, if both are executed.
bool haveSameValue(const Evaluation &a, const Evaluation &b) {
  auto seen = [](const Evaluation &of, const Evaluation &with) {
    std::set<std::pair<unsigned, int64_t>> writes;
    for (const auto &[write, sides] : of.writes) {
      if (!areImpossible(joinSides(sides, with.sides))) {
        writes.insert(write);
      }
    }
    return writes;
  };
  return seen(a, b) == seen(b, a);
}

/// A part of a run or of a loop that several workers execute: a share, rounds or a loop.
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
  if (std::optional<task::Team> team = task::Team::of(op)) {
    int64_t word = team->line * task::kFlagElems;
    return {op,          word, task::kFlagElems, team->part, team->parts, /*range=*/team->steps,
            /*rounds=*/1};
  }
  auto rounds = dyn_cast<task::RoundsOp>(op);
  Part part = rounds ? partOf(rounds, task::kFlagElems) : Part();
  part.rounds = rounds ? static_cast<int64_t>(rounds.getRounds()) : 1;
  return part;
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

/// A wait or a post: the flag, the count, and the base of the count in a loop.
struct Flagging {
  Operation *op = nullptr;
  int64_t line = 0;
  int64_t count = 0;
  Value base;
};

template <typename Plain, typename InLoop>
std::optional<Flagging> flaggingOf(Operation *op) {
  auto read = [&](auto flag, Value base) {
    return Flagging{op, static_cast<int64_t>(flag.getWorker()),
                    static_cast<int64_t>(flag.getCount()), base};
  };
  if (auto plain = dyn_cast<Plain>(op)) {
    return read(plain, Value());
  }
  auto inLoop = dyn_cast<InLoop>(op);
  return inLoop ? std::optional(read(inLoop, inLoop.getBase())) : std::nullopt;
}

std::optional<Flagging> waitOf(Operation *op) {
  return flaggingOf<task::WaitOp, task::TeamWaitOp>(op);
}
std::optional<Flagging> postOf(Operation *op) {
  return flaggingOf<task::PostOp, task::TeamPostOp>(op);
}

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
    return loops.empty() ? checkEnd() : checkRenewed();
  }

private:
  /// What a worker knew when it posted a count, and the sides around.
  struct Posted {
    Knowledge known;
    BranchSides sides;
  };
  /// A part of rounds or of a loop that a worker has begun, and the sides around.
  struct Arrival {
    Operation *op = nullptr;
    BranchSides sides;
  };
  /// A flag, and the kind of its counts: counts of the start of a loop restart in each iteration.
  using Flag = std::pair<int64_t, int64_t>;

  void addList(Block &block) {
    linearize(block, lists.emplace_back());
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
      return !areImpossible(sides[worker]) && postsFor(*wait, worker).empty();
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
  std::pair<Flag, int64_t> flagOf(const Flagging &op, unsigned worker) const {
    int64_t iteration = iterationOf(worker);
    if (!op.base) {
      return {{op.line, -1}, op.count};
    }
    bool isOfLoop = !loops.empty() && op.base == bodyOf(loops[worker]).getArguments().back();
    return isOfLoop ? std::pair(Flag(op.line, -1),
                                op.count + iteration * task::Team::of(loops[worker])->steps)
                    : std::pair(Flag(op.line, iteration), op.count);
  }

  /// Returns the posts of which one satisfies a wait, up to the first that is certain to be
  /// executed. Returns no posts if none is certain yet.
  SmallVector<const Posted *> postsFor(const Flagging &wait, unsigned worker) {
    auto [flag, count] = flagOf(wait, worker);
    const std::map<int64_t, Posted> &list = posts[flag];
    SmallVector<const Posted *> found;
    for (auto it = list.lower_bound(count); it != list.end(); ++it) {
      if (areExclusive(it->second.sides, sides[worker])) {
        continue;
      }
      found.push_back(&it->second);
      if (isImplied(it->second.sides, sides[worker])) {
        return found;
      }
    }
    return {};
  }

  /// Adds what a wait guarantees: the knowledge of the post, or what is common to the posts that
  /// may satisfy it.
  void learnFrom(const Flagging &wait, unsigned worker) {
    SmallVector<const Posted *> found = postsFor(wait, worker);
    if (found.empty()) {
      return; // no inference executes the wait
    }
    if (found.size() == 1) {
      known[worker].learn(sides[worker], found.front()->known);
      return;
    }
    std::optional<Clock> common;
    for (const Posted *post : found) {
      Clock clock = post->known.on(joinSides(sides[worker], post->sides));
      common = common ? common : clock;
      for (auto [mine, theirs] : llvm::zip(*common, clock)) {
        mine = std::min(mine, theirs);
      }
    }
    known[worker].learn(sides[worker], *common);
  }

  LogicalResult step(unsigned worker) {
    const Event &at = event(worker);
    known[worker].set(worker, ++times[worker]);
    if (at.kind == Event::Kind::Enter) {
      Value condition = cast<scf::IfOp>(at.op).getCondition();
      sides[worker].push_back({conditionOf(condition, worker), at.isThen});
    } else if (at.kind == Event::Kind::Leave) {
      sides[worker].pop_back();
    } else if (std::optional<Flagging> wait = waitOf(at.op)) {
      learnFrom(*wait, worker);
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
    for (const Access &access : *accesses) {
      if (failed(touch(access, by))) {
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
    std::map<int64_t, Posted> &list = posts[flag];
    bool isGrowing = list.empty() || list.rbegin()->first < count;
    if (!isOwn || !isGrowing) {
      return post.op->emitOpError("breaks [schedule.2]: worker ")
             << worker << " must post to its own flag, each time with a greater count";
    }
    list.insert({count, Posted{known[worker], sides[worker]}});
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

  /// Returns the condition of a branch that a worker enters.
  const Condition *conditionOf(Value value, unsigned worker) {
    Evaluation now{sides[worker], {}};
    std::string text = textOf(value, worker, now);
    std::vector<std::unique_ptr<Condition>> &ofText = conditions[text];
    auto isSame = [&](const std::unique_ptr<Condition> &condition) {
      return llvm::all_of(condition->evaluations,
                          [&](const Evaluation &other) { return haveSameValue(now, other); });
    };
    auto it = llvm::find_if(ofText, isSame);
    if (it == ofText.end()) {
      ofText.push_back(std::make_unique<Condition>());
      it = std::prev(ofText.end());
    }
    std::vector<Evaluation> &evaluations = (*it)->evaluations;
    if (llvm::none_of(evaluations, [&](const Evaluation &other) {
          return other.sides == now.sides && other.writes == now.writes;
        })) {
      evaluations.push_back(std::move(now));
    }
    return it->get();
  }

  /// Returns the ops that compute a value as text. Adds the writes that their loads see.
  std::string textOf(Value value, unsigned worker, Evaluation &now) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      int depth = 0;
      for (Operation *op = argument.getOwner()->getParentOp(); op; op = op->getParentOp()) {
        ++depth;
      }
      stream << depth << "." << argument.getArgNumber();
      if (!loops.empty() && argument.getOwner() == &bodyOf(loops[worker])) {
        stream << "." << iterationOf(worker); // the loop carries another value
      }
      return text;
    }
    Operation *op = value.getDefiningOp();
    stream << op->getName() << op->getAttrDictionary() << "(";
    for (Value operand : op->getOperands()) {
      stream << textOf(operand, worker, now) << ",";
    }
    stream << ")";
    if (isa<memref::LoadOp>(op)) {
      addWrites(op, worker, now);
    }
    return text;
  }

  /// Adds the writes of the bytes that a load reads.
  void addWrites(Operation *load, unsigned worker, Evaluation &now) {
    FailureOr<SmallVector<Access>> reads =
        accessesOf(load, functions[worker], kernels, /*withScratch=*/false);
    for (const Access &read : succeeded(reads) ? *reads : SmallVector<Access>()) {
      for (auto &[begin, segment] : bytes[read.argument]) {
        if (begin >= read.end || read.begin >= segment.end) {
          continue;
        }
        for (const Touch &touch : segment.writes) {
          if (!areImpossible(joinSides(*touch.sides, now.sides))) {
            now.writes[{touch.worker, touch.time}] = *touch.sides;
          }
        }
      }
    }
  }

  /// Returns whether an earlier access is done if an inference executes it and the next op of a
  /// worker. This is also the case if no inference executes both.
  bool isBefore(const Touch &earlier, unsigned worker) const {
    BranchSides together = joinSides(sides[worker], *earlier.sides);
    return earlier.worker == worker || areImpossible(together) ||
           known[worker].includes(earlier.worker, earlier.time, together);
  }

  /// [schedule.3] If two accesses touch the same byte and one of them writes, waits order them,
  /// unless a run executes only one of them.
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
    Part part = partOf(by.op);
    // Each part of a run or of a loop must come after an earlier access.
    auto isFollowed = [&](Touch &touch) {
      std::set<int64_t> &parts = touch.followers[part.word];
      parts.insert(part.part);
      return static_cast<int64_t>(parts.size()) >= part.parts;
    };
    auto forget = [&](SmallVectorImpl<Touch> &touches) {
      llvm::erase_if(touches, [&](Touch &touch) {
        return isBefore(touch, by.worker) && touch.op != by.op &&
               isImplied(*by.sides, *touch.sides) && (!part.op || isFollowed(touch));
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
  std::map<std::string, std::vector<std::unique_ptr<Condition>>> conditions; // by text
  std::map<Flag, std::map<int64_t, Posted>> posts;                           // by count
  std::map<unsigned, unsigned> owners; // of the flags of loops
  std::map<unsigned, std::map<int64_t, Segment>> bytes;
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
