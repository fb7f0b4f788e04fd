// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the macro-task graph from a work list. Edges carry the bytes that one task writes and the
// other reads; an edge without bytes only orders the tasks.

#include "Schedule/MacroTasks.h"
#include "Schedule/Schedule.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <tuple>

using namespace mlir;

namespace convoy::schedule {
namespace {

// Synchronization costs relative to the grain size. The default grain of 2000 ns gives 300 ns for a
// wait and 40 ns for a load of another core's cache line.
constexpr double kMeetShare = 0.15;
constexpr double kFlagShare = 0.02;

/// Returns the writes or the reads of a work, sorted by byte.
std::vector<Access> sortedAccesses(const Work &work, bool isWrite) {
  std::vector<Access> result;
  for (const Access &access : work.accesses) {
    if (access.isWrite == isWrite) {
      result.push_back(access);
    }
  }
  std::sort(result.begin(), result.end(), [](const Access &a, const Access &b) {
    return std::tuple(a.argument, a.begin, a.end) < std::tuple(b.argument, b.begin, b.end);
  });
  return result;
}

/// Returns the bytes that `before` writes and `after` reads. Bands access many parts of planes.
int64_t passedBytes(const Work &before, const Work &after) {
  std::vector<Access> writes = sortedAccesses(before, /*isWrite=*/true);
  int64_t bytes = 0;
  size_t first = 0;
  for (const Access &read : sortedAccesses(after, /*isWrite=*/false)) {
    auto isBefore = [&](const Access &write) {
      return std::pair(write.argument, write.end) <= std::pair(read.argument, read.begin);
    };
    while (first < writes.size() && isBefore(writes[first])) {
      ++first;
    }
    for (size_t i = first;
         i < writes.size() && writes[i].argument == read.argument && writes[i].begin < read.end;
         ++i) {
      bytes += std::max<int64_t>(0, std::min(writes[i].end, read.end) -
                                        std::max(writes[i].begin, read.begin));
    }
  }
  return bytes;
}

} // namespace

void MacroGraph::addNeed(unsigned before, unsigned after, int64_t bytes) {
  tasks[after].needs.push_back({before, bytes});
  tasks[before].users.push_back(after);
}

double MacroGraph::timeOn(unsigned task, unsigned groupSize) const {
  const MacroTask &it = tasks[task];
  int64_t size = std::max(1U, groupSize);
  if (!it.loopNs.empty()) {
    return it.loopNs[std::min<size_t>(size, it.loopNs.size()) - 1];
  }
  int64_t takes = std::max(it.takes, size);
  int64_t most = llvm::divideCeilSigned(takes, size); // by the busiest worker
  double meetings = size == 1 ? 0 : static_cast<double>(it.rounds - 1) * meetNs;
  return it.costNs * static_cast<double>(most) / static_cast<double>(takes) + meetings;
}

/// Returns the sum of the values of tasks whose first `depth` sides are equal.
static double sumOfSides(llvm::ArrayRef<MacroTask> tasks, llvm::ArrayRef<unsigned> numbers,
                         llvm::ArrayRef<double> values, size_t depth) {
  double sum = 0;
  llvm::MapVector<const void *, std::array<std::vector<unsigned>, 2>> branches;
  for (unsigned number : numbers) {
    const BranchSides &sides = tasks[number].sides;
    if (sides.size() == depth) {
      sum += values[number];
    } else {
      branches[sides[depth].condition][sides[depth].isThen ? 1 : 0].push_back(number);
    }
  }
  for (const auto &[condition, sides] : branches) {
    sum += std::max(sumOfSides(tasks, sides[0], values, depth + 1),
                    sumOfSides(tasks, sides[1], values, depth + 1));
  }
  return sum;
}

double MacroGraph::sumOf(llvm::ArrayRef<double> values) const {
  std::vector<unsigned> all(tasks.size());
  std::iota(all.begin(), all.end(), 0);
  return sumOfSides(tasks, all, values, 0);
}

double MacroGraph::serialNs() const {
  std::vector<double> values;
  for (const MacroTask &task : tasks) {
    values.push_back(task.costNs);
  }
  return sumOf(values);
}

std::vector<double> MacroGraph::levels(llvm::ArrayRef<unsigned> widths) const {
  std::vector<double> result(tasks.size(), 0);
  for (unsigned i = tasks.size(); i-- > 0;) {
    result[i] += timeOn(i, widths[i]);
    for (const MacroNeed &need : tasks[i].needs) {
      result[need.task] = std::max(result[need.task], result[i]);
    }
  }
  return result;
}

double MacroGraph::criticalNs() const {
  std::vector<unsigned> ones(tasks.size(), 1);
  std::vector<double> all = levels(ones);
  return all.empty() ? 0 : *std::max_element(all.begin(), all.end());
}

MacroGraph buildMacroGraph(llvm::ArrayRef<Work> works, unsigned workers, int64_t grainNs) {
  MacroGraph graph;
  graph.workers = workers;
  graph.meetNs = kMeetShare * static_cast<double>(grainNs);
  graph.flagNs = kFlagShare * static_cast<double>(grainNs);
  graph.tasks.resize(works.size());
  std::map<std::pair<unsigned, unsigned>, unsigned> locals; // by group and band
  for (unsigned i = 0; i < works.size(); ++i) {
    const Work &work = works[i];
    MacroTask &task = graph.tasks[i];
    task.costNs = work.costNs;
    task.takes = std::max<int64_t>(1, work.range / work.rounds / leastSteps(work));
    task.rounds = work.rounds;
    task.mostWorkers = pieceCount(work, workers, static_cast<double>(grainNs));
    task.isPinned = work.isPinned;
    task.sides = sidesOf(work);
    for (unsigned size = 1; work.loop && size <= workers; ++size) {
      task.loopNs.push_back(schedule::loopNs(*work.loop, size, static_cast<double>(grainNs)));
      task.costNs = task.loopNs.front();
    }
    if (work.band) {
      unsigned next = locals.size();
      task.local = locals.try_emplace({work.band->group, work.band->index}, next).first->second;
    }
    for (unsigned need : work.needs) {
      graph.addNeed(need, i, passedBytes(works[need], work));
    }
  }
  return graph;
}

BranchSides sidesOf(const Work &work) {
  BranchSides sides;
  for (const Guard &guard : work.guards) {
    sides.push_back({guard.condition.getAsOpaquePointer(), guard.isThen});
  }
  return sides;
}

ScheduleCandidate candidateOf(llvm::ArrayRef<Piece> pieces) {
  ScheduleCandidate result;
  for (const Piece &piece : pieces) {
    if (piece.part == 0) {
      result.order.push_back({piece.work, {}});
    }
    result.order.back().group.push_back(piece.worker);
  }
  return result;
}

std::vector<Piece> piecesOf(llvm::ArrayRef<Placement> order) {
  std::vector<Piece> pieces;
  for (const Placement &placement : order) {
    unsigned parts = placement.group.size();
    for (unsigned part = 0; part < parts; ++part) {
      pieces.push_back({placement.task, placement.group[part], part, parts});
    }
  }
  return pieces;
}

} // namespace convoy::schedule
