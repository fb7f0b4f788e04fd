// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Predicts the time of a schedule, task by task:
//
//     worker 0  |--- A ---|--- C, half ---|
//     worker 1  |- B -|  wait, fetch    |-- C, half --|
//
// A worker starts when it is free, sees all inputs of the task and has fetched the bytes that other
// workers wrote. The workers of a group end together, because shares balance, but only in whole
// takes: 14 rows among 8 workers take as long as 16.

#include "Schedule/MacroTasks.h"
#include <algorithm>
#include <cmath>

namespace convoy::schedule {
namespace {

// Bandwidth from the cache of another core, through the shared cache.
constexpr double kTransferBytesPerNs = 20;
// Bisection steps in the search for the end of a share.
constexpr int kEndSteps = 12;

/// Returns the part of [low, high) that a worker of a group did, if it did its even part.
double ownFraction(llvm::ArrayRef<unsigned> group, unsigned worker, double low, double high) {
  const unsigned *it = std::lower_bound(group.begin(), group.end(), worker);
  if (it == group.end() || *it != worker) {
    return 0;
  }
  double size = static_cast<double>(group.size());
  double part = static_cast<double>(it - group.begin());
  double overlap = std::min(high, (part + 1) / size) - std::max(low, part / size);
  return std::max(0.0, overlap);
}

/// Returns when the work is done by workers that start at different times, if all their time is
/// used.
double levelTime(llvm::ArrayRef<double> sorted, double costNs) {
  double sum = 0;
  double level = 0;
  for (unsigned i = 0; i < sorted.size(); ++i) {
    sum += sorted[i];
    level = (costNs + sum) / (i + 1);
    if (i + 1 == sorted.size() || level <= sorted[i + 1]) {
      break;
    }
  }
  return level;
}

} // namespace

bool areExclusive(llvm::ArrayRef<BranchSide> a, llvm::ArrayRef<BranchSide> b) {
  return std::any_of(a.begin(), a.end(), [&](const BranchSide &x) {
    return std::any_of(b.begin(), b.end(), [&](const BranchSide &y) {
      return x.condition == y.condition && x.isThen != y.isThen;
    });
  });
}

bool isImplied(llvm::ArrayRef<BranchSide> outer, llvm::ArrayRef<BranchSide> inner) {
  return std::all_of(outer.begin(), outer.end(), [&](const BranchSide &side) {
    return std::find(inner.begin(), inner.end(), side) != inner.end();
  });
}

std::optional<WorkerLoad::Entry> WorkerLoad::last(llvm::ArrayRef<BranchSide> sides) const {
  std::optional<Entry> latest = always;
  for (const auto &[around, entry] : since) {
    if (!areExclusive(around, sides) && (!latest || entry.endNs >= latest->endNs)) {
      latest = entry;
    }
  }
  return latest;
}

void WorkerLoad::add(unsigned task, double endNs, llvm::ArrayRef<BranchSide> sides) {
  if (sides.empty()) {
    always = Entry{endNs, task};
    since.clear();
  } else {
    since.push_back({BranchSides(sides), Entry{endNs, task}});
  }
}

double transferNs(const MacroGraph &graph, double bytes) {
  return graph.meetNs > 0 ? bytes / kTransferBytesPerNs : 0;
}

Timeline::Timeline(const MacroGraph &graph)
    : graph(graph), workers(graph.workers), done(graph.tasks.size()) {}

double Timeline::arrival(unsigned task, unsigned worker) const {
  double latest = 0;
  for (const MacroNeed &need : graph.tasks[task].needs) {
    const Done &before = done[need.task];
    size_t others = before.group.size();
    if (others == 0 || (others == 1 && before.group.front() == worker)) {
      latest = std::max(latest, before.endNs);
    } else {
      double meetNs = graph.meetNs + graph.flagNs * static_cast<double>(others - 1);
      latest = std::max(latest, before.endNs + meetNs);
    }
  }
  return latest;
}

double Timeline::foreignBytes(unsigned task, unsigned worker, double low, double high) const {
  double bytes = 0;
  for (const MacroNeed &need : graph.tasks[task].needs) {
    const Done &before = done[need.task];
    if (need.bytes > 0 && !before.group.empty()) {
      double own = ownFraction(before.group, worker, low, high);
      bytes += static_cast<double>(need.bytes) * (high - low - own);
    }
  }
  return bytes;
}

double Timeline::endOf(unsigned task, llvm::ArrayRef<double> starts) const {
  const MacroTask &it = graph.tasks[task];
  double last = *std::max_element(starts.begin(), starts.end());
  int64_t size = static_cast<int64_t>(starts.size());
  if (size == 1) {
    return last + it.costNs;
  }
  if (it.rounds > 1 || !it.loopNs.empty()) { // the workers begin together
    return last + graph.timeOn(task, starts.size());
  }
  int64_t takes = std::max(it.takes, size);
  double takeNs = it.costNs / static_cast<double>(takes);
  if (takeNs <= 0) {
    return last;
  }
  llvm::SmallVector<double, 8> sorted(starts);
  std::sort(sorted.begin(), sorted.end());
  double level = levelTime(sorted, it.costNs);
  auto isEnough = [&](double time) {
    int64_t count = 0;
    for (double start : sorted) {
      // The small term prevents rounding even parts down by one take.
      count += start < time ? static_cast<int64_t>((time - start) / takeNs + 1e-6) : 0;
    }
    return count >= takes;
  };
  double low = level;
  double high = level + takeNs;
  if (isEnough(low)) {
    high = low;
  }
  for (int i = 0; i < kEndSteps && low < high; ++i) {
    double middle = (low + high) / 2;
    (isEnough(middle) ? high : low) = middle;
  }
  // A worker that is done looks for steps in all other parts before it continues.
  return std::max(last, high) + graph.flagNs * static_cast<double>(size - 1);
}

void Timeline::place(const Placement &placement) {
  double size = static_cast<double>(placement.group.size());
  llvm::SmallVector<double, 8> starts;
  unsigned latest = placement.group.front();
  for (unsigned part = 0; part < placement.group.size(); ++part) {
    unsigned worker = placement.group[part];
    double bytes = foreignBytes(placement.task, worker, part / size, (part + 1) / size);
    double start = std::max(freeAt(worker, placement.task), arrival(placement.task, worker));
    starts.push_back(start + transferNs(graph, bytes));
    transferred += bytes;
    if (starts.back() > starts[0] &&
        starts.back() >= *std::max_element(starts.begin(), starts.end())) {
      latest = worker;
    }
  }
  Done &result = done[placement.task];
  result.cause = causeOf(placement.task, latest);
  result.group.assign(placement.group.begin(), placement.group.end());
  result.endNs = endOf(placement.task, starts);
  for (unsigned part = 0; part < placement.group.size(); ++part) {
    unsigned worker = placement.group[part];
    allSpans.push_back({placement.task, worker, starts[part], result.endNs});
    workers[worker].add(placement.task, result.endNs, graph.tasks[placement.task].sides);
  }
}

std::optional<unsigned> Timeline::causeOf(unsigned task, unsigned worker) const {
  std::optional<WorkerLoad::Entry> last = workers[worker].last(graph.tasks[task].sides);
  std::optional<unsigned> cause = last ? std::optional(last->task) : std::nullopt;
  double latest = last ? last->endNs : 0;
  for (const MacroNeed &need : graph.tasks[task].needs) {
    if (!done[need.task].group.empty() && done[need.task].endNs >= latest) {
      latest = done[need.task].endNs;
      cause = need.task;
    }
  }
  return cause;
}

double Timeline::makespanNs() const {
  double latest = 0;
  for (const WorkerLoad &worker : workers) {
    latest = std::max(latest, worker.freeAt({}));
  }
  return latest;
}

std::vector<unsigned> Timeline::criticalTasks() const {
  std::vector<unsigned> chain;
  std::optional<unsigned> at;
  double latest = -1;
  for (const WorkerLoad &worker : workers) {
    std::optional<WorkerLoad::Entry> last = worker.last({});
    if (last && last->endNs > latest) {
      latest = last->endNs;
      at = last->task;
    }
  }
  while (at) {
    chain.push_back(*at);
    at = done[*at].cause;
  }
  std::reverse(chain.begin(), chain.end());
  return chain;
}

void predict(const MacroGraph &graph, ScheduleCandidate &candidate) {
  Timeline timeline(graph);
  for (const Placement &placement : candidate.order) {
    timeline.place(placement);
  }
  candidate.makespanNs = timeline.makespanNs();
  candidate.transferBytes = timeline.transferBytes();
}

} // namespace convoy::schedule
