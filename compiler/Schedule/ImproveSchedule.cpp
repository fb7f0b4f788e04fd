// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Improves a list schedule by a bounded local search. Only tasks on the critical path matter: the
// search tries each of them with other group sizes and with a higher priority. It keeps each
// improvement and continues from there, until a round finds no improvement or the budget is used
// up. The search is deterministic: the same graph always gives the same schedule.

#include "Schedule/MacroTasks.h"
#include <algorithm>

namespace convoy::schedule {
namespace {

// The search stops within this factor of the lower bound.
constexpr double kCloseEnough = 1.01;

class Search {
public:
  Search(const MacroGraph &graph, const ScheduleCandidate &start, const ListOptions &options,
         int64_t placements)
      : graph(graph), best(start), options(options),
        triesLeft(placements / std::max<int64_t>(1, static_cast<int64_t>(graph.tasks.size()))) {
    this->options.urgency.resize(graph.tasks.size(), 0);
    std::vector<double> levels = graph.levels(fullWidths(graph));
    double longest = levels.empty() ? 0 : *std::max_element(levels.begin(), levels.end());
    boundNs = std::max(graph.serialNs() / graph.workers, longest);
  }

  ScheduleCandidate run() {
    bool isBetter = true;
    while (isBetter && triesLeft > 0 && best.makespanNs > kCloseEnough * boundNs) {
      isBetter = false;
      for (unsigned task : criticalTasks()) {
        isBetter = tryTask(task) || isBetter;
      }
    }
    return best;
  }

private:
  std::vector<unsigned> criticalTasks() const {
    Timeline timeline(graph);
    for (const Placement &placement : best.order) {
      timeline.place(placement);
    }
    return timeline.criticalTasks();
  }

  bool tryTask(unsigned task) {
    unsigned most = graph.tasks[task].mostWorkers;
    unsigned width = options.widths[task];
    bool isBetter = false;
    for (unsigned other : {width / 2, width - 1, width + 1, width * 2, 1U, most}) {
      if (other >= 1 && other <= most && other != width) {
        isBetter = tryOptions([&] { options.widths[task] = other; }) || isBetter;
      }
    }
    // Half of the makespan raises the task above most others, but not above all.
    isBetter = tryOptions([&] { options.urgency[task] += best.makespanNs / 2; }) || isBetter;
    return isBetter;
  }

  template <typename Change>
  bool tryOptions(Change change) {
    if (triesLeft <= 0) {
      return false;
    }
    --triesLeft;
    ListOptions before = options;
    change();
    ScheduleCandidate candidate = listSchedule(graph, options);
    if (candidate.makespanNs < best.makespanNs) {
      candidate.name = best.name;
      best = std::move(candidate);
      return true;
    }
    options = std::move(before);
    return false;
  }

  const MacroGraph &graph;
  ScheduleCandidate best;
  ListOptions options;
  int64_t triesLeft;
  double boundNs = 0;
};

} // namespace

ScheduleCandidate improve(const MacroGraph &graph, const ScheduleCandidate &start,
                          const ListOptions &options, int64_t placements) {
  return Search(graph, start, options, placements).run();
}

} // namespace convoy::schedule
