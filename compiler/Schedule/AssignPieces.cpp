// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the schedule in program order, the baseline for all other schedules. Work above the
// grain size is split evenly, always in the order of the workers, so a worker finds in its cache
// the part of the tensor that it wrote before. All other work goes unsplit to the worker that can
// start it first.

#include "Schedule/MacroTasks.h"
#include "Schedule/Schedule.h"
#include <numeric>

using namespace mlir;

namespace convoy::schedule {
namespace {

// Nanoseconds until a worker sees a post of another worker.
constexpr double kMeetNs = 300;
// Minimum nanoseconds of the steps that a worker takes at once; below this, taking steps dominates
// the time.
constexpr double kTakeNs = 3000;
// Steps that share a setup are taken in parts of at least 1 / kJointShare of them, so that
// repeating the setup costs little.
constexpr int64_t kJointShare = 2;
// Minimum work of a piece of a round relative to the grain size: twice the time of a meeting.
constexpr double kRoundShare = 0.3;
// Minimum gain of another worker in a loop; estimates are not more precise.
constexpr double kLoopGain = 0.97;

class Assigner {
public:
  Assigner(ArrayRef<Work> works, unsigned workers, double grainNs)
      : works(works), grainNs(grainNs), loads(workers) {}

  std::vector<Piece> run() {
    for (unsigned i = 0; i < works.size(); ++i) {
      places.emplace_back();
      assign(i, pieceCount(works[i], loads.size(), grainNs));
    }
    return std::move(pieces);
  }

private:
  struct Place {
    unsigned worker;
    double done;
  };

  /// Returns when a worker can start a piece: the worker is free and sees the results that the work
  /// needs.
  double startOn(unsigned worker, const Work &work) const {
    double start = loads[worker].freeAt(sidesOf(work));
    for (unsigned need : work.needs) {
      for (const Place &place : places[need]) {
        start = std::max(start, place.done + (place.worker == worker ? 0 : kMeetNs));
      }
    }
    return start;
  }

  /// Returns the workers that can start first, in ascending order.
  SmallVector<unsigned> choose(const Work &work, unsigned count) const {
    SmallVector<unsigned> order(loads.size());
    std::iota(order.begin(), order.end(), 0);
    if (count < order.size()) {
      SmallVector<double> starts;
      for (unsigned worker : order) {
        starts.push_back(startOn(worker, work));
      }
      llvm::sort(order, [&](unsigned a, unsigned b) {
        return std::pair(starts[a], a) < std::pair(starts[b], b);
      });
    }
    order.truncate(count);
    llvm::sort(order);
    return order;
  }

  void assign(unsigned position, unsigned count) {
    const Work &work = works[position];
    SmallVector<unsigned> chosen = work.isPinned ? SmallVector<unsigned>{0} : choose(work, count);
    for (unsigned i = 0; i < count; ++i) {
      unsigned worker = chosen[i];
      double workNs = work.loop ? loopNs(*work.loop, count, grainNs) : work.costNs / count;
      double done = startOn(worker, work) + workNs;
      places[position].push_back({worker, done});
      pieces.push_back({position, worker, i, count});
    }
    // Update the workers after all pieces are placed, because the pieces start together.
    for (const Place &place : places[position]) {
      loads[place.worker].add(position, place.done, sidesOf(work));
    }
  }

  ArrayRef<Work> works;
  double grainNs;
  std::vector<WorkerLoad> loads; // by worker
  std::vector<SmallVector<Place, 2>> places;
  std::vector<Piece> pieces;
};

} // namespace

int64_t leastSteps(const Work &work) {
  if (work.rounds > 1) {
    return 1; // the steps of a round are assigned to workers in advance
  }
  double steps = static_cast<double>(work.range) * kTakeNs / std::max(work.costNs, kTakeNs);
  return std::max<int64_t>({1, static_cast<int64_t>(steps), work.joint / kJointShare});
}

/// Returns the number of workers on which a loop takes the shortest time.
static unsigned loopWorkers(LoopBody &body, unsigned workers, double grainNs) {
  unsigned best = 1;
  for (unsigned size = 2; size <= workers; ++size) {
    if (loopNs(body, size, grainNs) < kLoopGain * loopNs(body, best, grainNs)) {
      best = size;
    }
  }
  return best;
}

double loopNs(LoopBody &body, unsigned workers, double grainNs) {
  while (body.times.size() < workers) {
    unsigned size = body.times.size() + 1;
    int64_t grain = static_cast<int64_t>(grainNs);
    MacroGraph graph = buildMacroGraph(body.works, size, grain);
    ScheduleCandidate plain = candidateOf(assignPieces(body.works, size, grain));
    predict(graph, plain);
    double meetings = size == 1 ? 0 : (body.overwritesNext ? 2 : 1) * graph.meetNs;
    body.times.push_back(body.iterations * (plain.makespanNs + meetings));
  }
  return body.times[workers - 1];
}

unsigned pieceCount(const Work &work, unsigned workers, double grainNs) {
  if (work.loop && !work.isPinned) {
    return loopWorkers(*work.loop, workers, grainNs);
  }
  if (work.isPinned || work.range > INT32_MAX) { // the words of a share hold 32-bit counts
    return 1;
  }
  double leastNs = work.rounds > 1 ? kRoundShare * grainNs : grainNs;
  double roundNs = work.costNs / static_cast<double>(work.rounds);
  double most = leastNs > 0 ? roundNs / leastNs : static_cast<double>(workers);
  int64_t bound = std::min<int64_t>(work.range / work.rounds, static_cast<int64_t>(workers));
  return static_cast<unsigned>(
      std::clamp(most, 1.0, static_cast<double>(std::max<int64_t>(bound, 1))));
}

std::vector<Piece> assignPieces(ArrayRef<Work> works, unsigned workers, int64_t grainNs) {
  return Assigner(works, workers, static_cast<double>(grainNs)).run();
}

} // namespace convoy::schedule
