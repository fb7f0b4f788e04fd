// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list schedulers. Each step takes one of the tasks whose needs are placed, by the scheduler's
// rule, and assigns it to the workers that the rule prefers. Arrival times of a task's inputs are
// computed once, when the task becomes ready, because its needs do not move afterwards; only the
// times when workers are free change. When a data localisation group has started, its tasks are
// placed next, as they become ready, on the worker of the group.

#include "Schedule/MacroTasks.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace convoy::schedule {
namespace {

// Maximum number of (task, worker) pairs that pair rules compare per step, starting with the tasks
// on the longest chains. This avoids quadratic time.
constexpr unsigned kMostPairs = 512;
// Group sizes up to this are all tried; larger ones only if they are powers of two.
constexpr unsigned kEachSize = 8;

/// A task whose needs are placed.
struct Ready {
  unsigned task = 0;
  unsigned width = 1;
  std::vector<double> arrivals;  // by worker
  std::vector<double> transfers; // ns, by worker
};

/// The workers for a task, and the values by which choices are compared.
struct WorkerChoice {
  llvm::SmallVector<unsigned, 4> group;
  double start = 0;
  double transfer = 0;
};

class ListScheduler {
public:
  ListScheduler(const MacroGraph &graph, const ListOptions &options)
      : graph(graph), options(options), levels(graph.levels(options.widths)),
        states(graph.tasks.size()), timeline(graph), ready(Earlier{*this}) {
    for (unsigned i = 0; i < options.urgency.size(); ++i) {
      levels[i] += options.urgency[i];
    }
  }

  ScheduleCandidate run() {
    for (unsigned i = 0; i < graph.tasks.size(); ++i) {
      missing.push_back(graph.tasks[i].needs.size());
      if (missing[i] == 0) {
        release(i);
      }
    }
    while (!ready.empty() || !followers.empty()) {
      if (followers.empty()) {
        placeNext();
      } else {
        placeFollower();
      }
    }
    result.name = nameOf(options.rule).str();
    result.makespanNs = timeline.makespanNs();
    result.transferBytes = timeline.transferBytes();
    return std::move(result);
  }

private:
  /// Orders tasks by longest chain, then most users, then program order.
  struct Earlier {
    const ListScheduler &owner;
    bool operator()(unsigned a, unsigned b) const {
      double levelA = owner.levels[a];
      double levelB = owner.levels[b];
      size_t usersA = owner.graph.tasks[a].users.size();
      size_t usersB = owner.graph.tasks[b].users.size();
      return std::tuple(-levelA, -static_cast<int64_t>(usersA), a) <
             std::tuple(-levelB, -static_cast<int64_t>(usersB), b);
    }
  };

  void release(unsigned task) {
    Ready &state = states[task];
    state.task = task;
    state.width = graph.tasks[task].isPinned ? 1 : std::max(1U, options.widths[task]);
    state.arrivals.resize(graph.workers);
    state.transfers.resize(graph.workers);
    for (unsigned worker = 0; worker < graph.workers; ++worker) {
      state.arrivals[worker] = timeline.arrival(task, worker);
      // The part of the task is not known yet, so assume an equal share of the whole.
      double bytes = timeline.foreignBytes(task, worker, 0, 1) / state.width;
      state.transfers[worker] = transferNs(graph, bytes);
    }
    std::optional<unsigned> local = graph.tasks[task].local;
    if (local && homes.count(*local) > 0) {
      followers.insert(task);
    } else {
      ready.insert(task);
    }
  }

  /// Assigns the data localisation group of a task to a worker and moves its ready tasks to
  /// `followers`.
  void settle(unsigned task, unsigned worker) {
    std::optional<unsigned> local = graph.tasks[task].local;
    if (!local || !homes.try_emplace(*local, worker).second) {
      return;
    }
    for (auto it = ready.begin(); it != ready.end();) {
      if (graph.tasks[*it].local == local) {
        followers.insert(*it);
        it = ready.erase(it);
      } else {
        ++it;
      }
    }
  }

  void placeFollower() {
    unsigned task = *followers.begin();
    followers.erase(followers.begin());
    put({task, {homes.at(*graph.tasks[task].local)}});
  }

  void put(Placement placement) {
    unsigned task = placement.task;
    states[task] = Ready();
    timeline.place(placement);
    result.order.push_back(std::move(placement));
    for (unsigned user : graph.tasks[task].users) {
      if (--missing[user] == 0) {
        release(user);
      }
    }
  }

  void placeNext() {
    bool isByPair = options.rule == ListRule::EtfCp || options.rule == ListRule::DtCp;
    unsigned best = *ready.begin();
    WorkerChoice choice = choose(states[best]);
    unsigned pairs = 2 * graph.workers;
    for (auto it = std::next(ready.begin()); isByPair && it != ready.end() && pairs <= kMostPairs;
         ++it, pairs += graph.workers) {
      WorkerChoice other = choose(states[*it]);
      if (isBefore(other, choice)) {
        best = *it;
        choice = std::move(other);
      }
    }
    ready.erase(best);
    settle(best, choice.group.front());
    put({best, std::move(choice.group)});
  }

  /// Ties go to the first task, which is on the longer chain.
  bool isBefore(const WorkerChoice &a, const WorkerChoice &b) const {
    return options.rule == ListRule::DtCp
               ? std::pair(a.transfer, a.start) < std::pair(b.transfer, b.start)
               : a.start < b.start;
  }

  WorkerChoice choose(const Ready &task) const {
    llvm::SmallVector<double, 8> starts(graph.workers); // by worker
    for (unsigned worker = 0; worker < graph.workers; ++worker) {
      starts[worker] = std::max(timeline.freeAt(worker, task.task), task.arrivals[worker]);
    }
    bool isByTransfer = options.rule == ListRule::CpDtMisf || options.rule == ListRule::DtCp;
    WorkerChoice choice;
    if (graph.tasks[task.task].isPinned) {
      choice.group = {0};
    } else if (isByTransfer) {
      choice.group = leastTransfer(task, starts);
    } else {
      choice.group = earliest(task, starts);
    }
    for (unsigned worker : choice.group) {
      choice.start = std::max(choice.start, starts[worker] + task.transfers[worker]);
      choice.transfer += task.transfers[worker];
    }
    std::sort(choice.group.begin(), choice.group.end());
    return choice;
  }

  /// Returns the first workers in an order, as many as the task's width.
  template <typename Less>
  llvm::SmallVector<unsigned, 4> firstWorkers(const Ready &task, Less isBefore) const {
    llvm::SmallVector<unsigned, 4> order(graph.workers);
    std::iota(order.begin(), order.end(), 0);
    if (task.width == 1) {
      return {*std::min_element(order.begin(), order.end(), isBefore)};
    }
    std::partial_sort(order.begin(), order.begin() + task.width, order.end(), isBefore);
    order.truncate(task.width);
    return order;
  }

  /// Returns the workers with the least data to fetch, preferring workers that are free when the
  /// first worker can start.
  llvm::SmallVector<unsigned, 4> leastTransfer(const Ready &task,
                                               llvm::ArrayRef<double> starts) const {
    double first = *std::min_element(starts.begin(), starts.end());
    return firstWorkers(task, [&](unsigned a, unsigned b) {
      return std::tuple(std::max(timeline.freeAt(a, task.task), first), task.transfers[a], a) <
             std::tuple(std::max(timeline.freeAt(b, task.task), first), task.transfers[b], b);
    });
  }

  /// Returns the workers that can start first, with the group size that ends earliest.
  llvm::SmallVector<unsigned, 4> earliest(const Ready &task, llvm::ArrayRef<double> starts) const {
    auto startOn = [&](unsigned worker) { return starts[worker] + task.transfers[worker]; };
    llvm::SmallVector<unsigned, 4> order = firstWorkers(task, [&](unsigned a, unsigned b) {
      return std::pair(startOn(a), a) < std::pair(startOn(b), b);
    });
    llvm::SmallVector<double, 8> used;
    unsigned bestSize = 1;
    double bestEnd = 0;
    for (unsigned size = 1; size <= order.size(); ++size) {
      used.push_back(startOn(order[size - 1]));
      bool isTried = size <= kEachSize || size == order.size() || llvm::isPowerOf2_32(size);
      double end = isTried ? timeline.endOf(task.task, used) : 0;
      if (isTried && (size == 1 || end < bestEnd)) {
        bestSize = size;
        bestEnd = end;
      }
    }
    order.truncate(bestSize);
    return order;
  }

  const MacroGraph &graph;
  const ListOptions &options;
  std::vector<double> levels;
  std::vector<unsigned> missing; // by task: needs that are not placed
  std::vector<Ready> states;     // by task
  Timeline timeline;
  std::set<unsigned, Earlier> ready;
  std::map<unsigned, unsigned> homes; // by started group: its worker
  std::set<unsigned> followers;       // ready tasks of started groups, in program order
  ScheduleCandidate result;
};

} // namespace

llvm::StringRef nameOf(ListRule rule) {
  switch (rule) {
  case ListRule::CpDtMisf:
    return "cp/dt/misf";
  case ListRule::CpEtfMisf:
    return "cp/etf/misf";
  case ListRule::EtfCp:
    return "etf/cp";
  case ListRule::DtCp:
    return "dt/cp";
  }
  return "";
}

ScheduleCandidate listSchedule(const MacroGraph &graph, const ListOptions &options) {
  return ListScheduler(graph, options).run();
}

} // namespace convoy::schedule
