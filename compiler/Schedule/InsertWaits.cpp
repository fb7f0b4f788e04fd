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

#include "Schedule/Schedule.h"

using namespace mlir;

namespace convoy::schedule {
namespace {

/// Steps done, by worker.
using Clock = std::vector<int32_t>; // stored once per piece

class WaitInserter {
public:
  WaitInserter(ArrayRef<Work> works, unsigned workers)
      : works(works), places(works.size()), now(workers, Clock(workers, 0)), after(workers) {
    result.workers.resize(workers);
    now[0][0] = 1; // the post before its first step
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
        places[piece.work].push_back({piece.worker, now[piece.worker][piece.worker]});
      }
      i = end;
    }
    join();
    return std::move(result);
  }

private:
  void add(const Piece &piece) {
    unsigned worker = piece.worker;
    Clock wanted(now.size(), 0);
    if (worker != 0) {
      wanted[0] = 1;
    }
    for (unsigned need : works[piece.work].needs) {
      for (const Wait &place : places[need]) {
        wanted[place.worker] = std::max(wanted[place.worker], place.count);
      }
    }
    Step step;
    step.piece = piece;
    step.waits = waitFor(worker, wanted);
    std::vector<Step> &list = result.workers[worker];
    now[worker][worker] = countAfter(worker, list.size());
    after[worker].push_back(now[worker]);
    list.push_back(std::move(step));
  }

  /// Returns the waits after which `worker` knows the counts in `wanted`.
  SmallVector<Wait, 2> waitFor(unsigned worker, const Clock &wanted) {
    SmallVector<Wait, 2> waits;
    for (unsigned other = 0; other < wanted.size(); ++other) {
      if (other != worker && wanted[other] > now[worker][other]) {
        waits.push_back({other, wanted[other]});
      }
    }
    auto isImplied = [&](const Wait &wait) {
      return llvm::any_of(waits, [&](const Wait &by) {
        const Clock *clock = by.worker == wait.worker ? nullptr : clockAt(by);
        return clock && (*clock)[wait.worker] >= wait.count;
      });
    };
    SmallVector<Wait, 2> kept;
    llvm::copy_if(waits, std::back_inserter(kept),
                  [&](const Wait &wait) { return !isImplied(wait); });
    for (const Wait &wait : kept) {
      learn(now[worker], wait);
    }
    return kept;
  }

  /// Returns the clock of a worker at its post, or null for the first post of worker 0.
  const Clock *clockAt(const Wait &wait) const {
    int32_t first = countAfter(wait.worker, 0);
    return wait.count < first ? nullptr : &after[wait.worker][wait.count - first];
  }

  void learn(Clock &clock, const Wait &wait) {
    clock[wait.worker] = std::max(clock[wait.worker], wait.count);
    if (const Clock *other = clockAt(wait)) {
      for (auto [mine, theirs] : llvm::zip(clock, *other)) {
        mine = std::max(mine, theirs);
      }
      result.workers[wait.worker][wait.count - countAfter(wait.worker, 0)].isPosted = true;
    }
  }

  /// Makes worker 0 wait for all workers before the region ends.
  void join() {
    Clock wanted(now.size(), 0);
    for (unsigned worker = 1; worker < now.size(); ++worker) {
      wanted[worker] = now[worker][worker];
    }
    SmallVector<Wait, 2> waits = waitFor(0, wanted);
    result.last.assign(waits.begin(), waits.end());
  }

  ArrayRef<Work> works;
  std::vector<SmallVector<Wait, 2>> places; // posts of the pieces of each work
  std::vector<Clock> now;                   // by worker
  std::vector<std::vector<Clock>> after;    // by worker and step
  Schedule result;
};

} // namespace

Schedule insertWaits(ArrayRef<Work> works, ArrayRef<Piece> pieces, unsigned workers) {
  return WaitInserter(works, workers).run(pieces);
}

} // namespace convoy::schedule
