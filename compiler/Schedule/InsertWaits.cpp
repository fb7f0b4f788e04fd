// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inserts waits for dependences. Each worker has a vector clock: how many steps of every other
// worker it knows to be done, directly from its waits and transitively from the clocks of the
// workers that it waited for. A wait for a smaller count is redundant and omitted.
//
//     worker 0:  A  post 2
//     worker 2:  wait(0, 2)  B  post 1
//     worker 1:  wait(2, 1)  C          worker 1 then also knows that A is done
//
// A wait is always for a piece that is earlier in program order, so the workers cannot deadlock.
//
// A worker waits for work inside a branch only if it evaluates the conditions to the side of the
// work, and the other worker posts inside of the branch. What a worker learns inside of a branch is
// valid for its next pieces on the same side. If the conditions cannot be evaluated any more, the
// other worker posts on every side.

#include "Schedule/Schedule.h"

using namespace mlir;

namespace convoy::schedule {
namespace {

/// Steps done, by worker.
using Clock = std::vector<int32_t>; // stored once per piece

void merge(Clock &clock, const Clock &other) {
  for (auto [mine, theirs] : llvm::zip(clock, other)) {
    mine = std::max(mine, theirs);
  }
}

class WaitInserter {
public:
  WaitInserter(ArrayRef<Work> works, unsigned workers, bool isBody)
      : works(works), isBody(isBody), awaited(startConditionsOf(works)), places(works.size()),
        states(workers) {
    result.workers.resize(workers);
    for (unsigned worker = 0; worker < workers; ++worker) {
      states[worker].now.assign(workers, 0);
      // Worker 0 posts before its first step. The workers of a loop have met before it.
      states[worker].now[0] = worker == 0 || isBody ? 1 : 0;
    }
  }

  Schedule run(ArrayRef<Piece> pieces) {
    for (size_t i = 0; i < pieces.size();) {
      // Add all pieces of a work before other works can wait for them, because the pieces have no
      // order among themselves.
      size_t end = i;
      while (end < pieces.size() && pieces[end].work == pieces[i].work) {
        ++end;
      }
      for (const Piece &piece : pieces.slice(i, end - i)) {
        add(piece);
      }
      for (const Piece &piece : pieces.slice(i, end - i)) {
        places[piece.work].push_back({piece.worker, states[piece.worker].now[piece.worker]});
      }
      i = end;
    }
    if (!isBody) {
      join();
    }
    return std::move(result);
  }

private:
  /// A step of another worker.
  struct Place {
    unsigned worker = 0;
    int32_t count = 0;
  };
  /// What a worker knows after a step: on every side, and on the side of the step.
  struct After {
    Clock always;
    Clock inside;
  };
  struct State {
    Clock now;
    /// Valid inside the guards of the last step.
    Clock inside;
    SmallVector<Guard, 1> guards;
    std::vector<After> after; // by step
  };
  /// The greatest count of a worker that is awaited, and whether the step that posts it is certain
  /// to be executed here.
  struct Wanted {
    int32_t count = 0;
    bool isCertain = true;
  };

  void add(const Piece &piece) {
    const Work &work = works[piece.work];
    State &state = states[piece.worker];
    Step step;
    step.piece = piece;
    if (work.guards.empty()) {
      step.waits = waitFor(piece, awaited[piece.work], Work(), state.now);
    } else {
      auto [outer, inner] = splitAwaits(piece.work);
      step.waits = waitFor(piece, outer, Work(), state.now);
      if (state.guards != work.guards) {
        state.inside = state.now;
        state.guards = work.guards;
      }
      merge(state.inside, state.now);
      step.innerWaits = waitFor(piece, inner, work, state.inside);
    }
    std::vector<Step> &list = result.workers[piece.worker];
    int32_t count = countAfter(piece.worker, list.size());
    state.now[piece.worker] = count;
    if (work.guards.empty()) {
      state.inside = state.now;
      state.guards.clear();
    }
    state.inside[piece.worker] = count;
    state.after.push_back({state.now, state.inside});
    list.push_back(std::move(step));
  }

  /// Splits what a work awaits: first what its worker awaits before it evaluates the guards of the
  /// work, then the other awaits. The first also contain what decides whether their own works are
  /// executed, because the worker evaluates those guards, too.
  std::pair<SmallVector<Await>, SmallVector<Await>> splitAwaits(unsigned work) const {
    SmallVector<Await> outer;
    SmallVector<Await> inner(awaited[work]);
    SmallVector<unsigned> evaluated{work}; // works whose guards the worker evaluates
    for (unsigned i = 0; i < evaluated.size(); ++i) {
      auto decides = [&](const Await &await) {
        return decidesGuards(works[await.work], works[evaluated[i]]);
      };
      for (const Await &await : llvm::make_filter_range(inner, decides)) {
        outer.push_back(await);
        evaluated.push_back(await.work);
      }
      llvm::erase_if(inner, decides);
    }
    return {outer, inner};
  }

  /// Returns whether the guards of `work` load what `need` writes.
  static bool decidesGuards(const Work &need, const Work &work) {
    return llvm::any_of(work.guards, [&](const Guard &guard) {
      return llvm::any_of(guard.reads, [&](const Access &read) {
        return llvm::any_of(need.accesses, [&](const Access &write) {
          return write.isWrite && write.argument == read.argument && write.begin < read.end &&
                 read.begin < write.end;
        });
      });
    });
  }

  /// Returns the waits of a piece inside the guards of `around`, after which the worker knows that
  /// the awaited works are done. First come the waits on every side.
  SmallVector<Wait, 2> waitFor(const Piece &piece, ArrayRef<Await> awaits, const Work &around,
                               Clock &clock) {
    std::vector<Wanted> wanted(states.size());
    wanted[0].count = piece.worker == 0 ? 0 : 1;
    SmallVector<Optional> optional;
    for (const Await &await : awaits) {
      SmallVector<Guard, 1> guards = guardsBeyond(works[await.work], around);
      bool canEvaluate = await.isOptional || llvm::all_of(guards, [&](const Guard &guard) {
                           return llvm::is_contained(works[piece.work].guards, guard);
                         });
      for (const Place &place : places[await.work]) {
        Wanted &most = wanted[place.worker];
        if (!guards.empty() && canEvaluate) {
          optional.push_back({{place.worker, place.count, guards}, await.work});
        } else if (place.count > most.count) {
          most = {place.count, guards.empty()};
        }
      }
    }
    SmallVector<Wait, 2> waits = waitFor(piece.worker, wanted, clock);
    addOptional(piece.worker, std::move(optional), clock, waits);
    return waits;
  }

  /// Returns the waits after which `worker` knows the counts in `wanted`.
  SmallVector<Wait, 2> waitFor(unsigned worker, ArrayRef<Wanted> wanted, Clock &clock) {
    SmallVector<Wait, 2> waits;
    for (unsigned other = 0; other < wanted.size(); ++other) {
      if (other != worker && wanted[other].count > clock[other]) {
        waits.push_back({other, wanted[other].count});
      }
    }
    auto clockAt = [&](const Wait &wait) {
      return clockAfter(wait, wanted[wait.worker].isCertain);
    };
    auto isImplied = [&](const Wait &wait) {
      return llvm::any_of(waits, [&](const Wait &by) {
        const Clock *known = by.worker == wait.worker ? nullptr : clockAt(by);
        return known && (*known)[wait.worker] >= wait.count;
      });
    };
    SmallVector<Wait, 2> kept;
    llvm::copy_if(waits, std::back_inserter(kept),
                  [&](const Wait &wait) { return !isImplied(wait); });
    for (const Wait &wait : kept) {
      clock[wait.worker] = std::max(clock[wait.worker], wait.count);
      if (const Clock *known = clockAt(wait)) {
        merge(clock, *known);
        Step &step = stepOf(wait);
        (wanted[wait.worker].isCertain ? step.isPosted : step.isAlwaysPosted) = true;
      }
    }
    return kept;
  }

  /// A wait that depends on conditions, and the work that it is for.
  struct Optional {
    Wait wait;
    unsigned work = 0;
  };

  /// Adds the waits that depend on conditions, in program order of the awaited works: the worker
  /// evaluates a condition only after the wait for the work that computes it. A wait that a wait
  /// for a greater count covers is omitted, and the other one takes its place:
  ///
  ///     if (a) wait(1, 2); if (a && b) wait(1, 3); if (a) wait(1, 4)  ->  if (a) wait(1, 4)
  void addOptional(unsigned worker, SmallVector<Optional> optional, const Clock &clock,
                   SmallVector<Wait, 2> &waits) {
    llvm::erase_if(optional, [&](const Optional &it) {
      return it.wait.worker == worker || clock[it.wait.worker] >= it.wait.count;
    });
    llvm::sort(optional, [](const Optional &a, const Optional &b) {
      return std::pair(a.work, a.wait.worker) < std::pair(b.work, b.wait.worker);
    });
    for (const Optional &it : optional) {
      const Wait *most = &it.wait;
      for (const Optional &other : optional) {
        most = other.wait.count > most->count && covers(other.wait, it.wait) ? &other.wait : most;
      }
      if (llvm::none_of(waits, [&](const Wait &given) { return covers(given, *most); })) {
        stepOf(*most).isPosted = true;
        waits.push_back(*most);
      }
    }
  }

  /// Returns whether `wait` is redundant beside `other`: a worker that executes `wait` also
  /// executes `other`, which is for the same or a greater count.
  static bool covers(const Wait &other, const Wait &wait) {
    return other.worker == wait.worker && other.count >= wait.count &&
           llvm::all_of(other.guards,
                        [&](const Guard &guard) { return llvm::is_contained(wait.guards, guard); });
  }

  Step &stepOf(const Wait &wait) {
    return result.workers[wait.worker][wait.count - countAfter(wait.worker, 0)];
  }

  /// Returns the clock of a worker at its post, or null for the first post of worker 0. If the step
  /// is not certain to be executed, the clock is that of every side.
  const Clock *clockAfter(const Wait &wait, bool isCertain) const {
    int32_t first = countAfter(wait.worker, 0);
    if (wait.count < first) {
      return nullptr;
    }
    const After &after = states[wait.worker].after[wait.count - first];
    return isCertain ? &after.inside : &after.always;
  }

  /// Makes worker 0 wait for all workers before the region ends.
  void join() {
    std::vector<Wanted> wanted(states.size());
    for (unsigned worker = 1; worker < states.size(); ++worker) {
      const std::vector<Step> &list = result.workers[worker];
      bool isCertain = list.empty() || works[list.back().piece.work].guards.empty();
      wanted[worker] = {states[worker].now[worker], isCertain};
    }
    SmallVector<Wait, 2> waits = waitFor(0, wanted, states[0].now);
    result.last.assign(waits.begin(), waits.end());
  }

  ArrayRef<Work> works;
  bool isBody;
  std::vector<SmallVector<Await>> awaited;   // by work
  std::vector<SmallVector<Place, 2>> places; // posts of the pieces of each work
  std::vector<State> states;                 // by worker
  Schedule result;
};

} // namespace

Schedule insertWaits(ArrayRef<Work> works, ArrayRef<Piece> pieces, unsigned workers, bool isBody) {
  return WaitInserter(works, workers, isBody).run(pieces);
}

} // namespace convoy::schedule
