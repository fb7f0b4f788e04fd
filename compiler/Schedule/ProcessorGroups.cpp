// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses how many workers each task gets. The graph is split into sections at necks, tasks that
// every path passes through; sections are independent. In each section, several ways to group the
// workers are tried:
//
//     neck --+-- a -- b --+-- neck      all workers for a, then b, then c
//            +---- c -----+             a and b on some workers, c on the remaining ones
//
// A task gets fewer workers than its group has if more are not worthwhile.

#include "Schedule/MacroTasks.h"
#include "llvm/ADT/IntEqClasses.h"
#include <algorithm>
#include <cmath>

namespace convoy::schedule {
namespace {

// Parallel groups must be shorter than all workers per task by this factor, because costs are
// estimates and errors are balanced only inside a group.
constexpr double kGroupGain = 0.95;

/// Returns the tasks that all paths pass through. Every task before a neck has a user at or before
/// the neck, and every task after a neck has a need at or after it. Tasks without users and tasks
/// without needs are not necks and are ignored.
std::vector<bool> findNecks(const MacroGraph &graph) {
  unsigned count = graph.tasks.size();
  std::vector<bool> isNeck(count, true);
  auto sweep = [&](unsigned i, unsigned &open, std::vector<bool> &isOpen, auto others,
                   bool isLoose) {
    for (unsigned other : others) {
      open -= isOpen[other] ? 1 : 0;
      isOpen[other] = false;
    }
    isNeck[i] = isNeck[i] && open == 0 && !isLoose;
    isOpen[i] = !isLoose;
    open += isLoose ? 0 : 1;
  };
  std::vector<bool> isOpen(count, false);
  unsigned open = 0;
  for (unsigned i = 0; i < count; ++i) {
    llvm::SmallVector<unsigned, 4> needs;
    for (const MacroNeed &need : graph.tasks[i].needs) {
      needs.push_back(need.task);
    }
    sweep(i, open, isOpen, llvm::ArrayRef<unsigned>(needs), graph.tasks[i].users.empty());
  }
  isOpen.assign(count, false);
  open = 0;
  for (unsigned i = count; i-- > 0;) {
    sweep(i, open, isOpen, llvm::ArrayRef<unsigned>(graph.tasks[i].users),
          graph.tasks[i].needs.empty());
  }
  return isNeck;
}

/// A section of tasks between two necks.
class Stretch {
public:
  Stretch(const MacroGraph &whole, unsigned begin, unsigned end) : branches(end - begin) {
    graph.workers = whole.workers;
    graph.meetNs = whole.meetNs;
    graph.flagNs = whole.flagNs;
    for (unsigned i = begin; i < end; ++i) {
      const MacroTask &task = whole.tasks[i];
      MacroTask &copy = graph.tasks.emplace_back(task);
      copy.needs.clear();
      copy.users.clear();
      for (const MacroNeed &need : task.needs) {
        if (need.task >= begin) { // needs outside the section are done
          graph.addNeed(need.task - begin, i - begin, need.bytes);
          branches.join(i - begin, need.task - begin);
        }
      }
    }
    branches.compress();
  }

  /// Returns the best widths found for the tasks of the section.
  std::vector<unsigned> choose() const {
    std::vector<unsigned> full = fullWidths(graph);
    std::vector<unsigned> chosen = full;
    double best = kGroupGain * length(full);
    auto tryOne = [&](auto widthOf) {
      std::vector<unsigned> other;
      for (unsigned i = 0; i < graph.tasks.size(); ++i) {
        other.push_back(std::clamp<unsigned>(widthOf(i), 1, graph.tasks[i].mostWorkers));
      }
      double ns = other == full ? best : length(other);
      if (ns < best) {
        best = ns;
        chosen = std::move(other);
      }
    };
    std::vector<double> shares = branchShares();
    unsigned even = graph.workers / std::min(graph.workers, parallelism());
    tryOne([&](unsigned i) { return static_cast<unsigned>(std::lround(shares[branches[i]])); });
    tryOne([&](unsigned) { return even; });
    tryOne([](unsigned) { return 1U; });
    return chosen;
  }

private:
  double length(const std::vector<unsigned> &widths) const {
    ListOptions options;
    options.widths = widths;
    return listSchedule(graph, options).makespanNs;
  }

  /// Returns the workers for each branch, proportional to its work.
  std::vector<double> branchShares() const {
    std::vector<double> shares(branches.getNumClasses(), 0);
    double all = graph.serialNs();
    for (unsigned i = 0; i < graph.tasks.size() && all > 0; ++i) {
      shares[branches[i]] += graph.workers * graph.tasks[i].costNs / all;
    }
    return shares;
  }

  /// Returns how many workers a schedule of unsplit tasks can keep busy.
  unsigned parallelism() const {
    double longest = graph.criticalNs();
    double most = longest > 0 ? std::ceil(graph.serialNs() / longest) : 1;
    return std::max(1U, static_cast<unsigned>(most));
  }

  MacroGraph graph;
  llvm::IntEqClasses branches; // connected tasks
};

} // namespace

std::vector<unsigned> fullWidths(const MacroGraph &graph) {
  std::vector<unsigned> widths;
  for (const MacroTask &task : graph.tasks) {
    widths.push_back(task.mostWorkers);
  }
  return widths;
}

std::vector<unsigned> chooseWidths(const MacroGraph &graph) {
  std::vector<unsigned> widths = fullWidths(graph);
  std::vector<bool> isNeck = findNecks(graph);
  unsigned begin = 0;
  for (unsigned i = 0; i <= graph.tasks.size(); ++i) {
    if (i == graph.tasks.size() || isNeck[i]) {
      if (i - begin > 1) {
        std::vector<unsigned> chosen = Stretch(graph, begin, i).choose();
        std::copy(chosen.begin(), chosen.end(), widths.begin() + begin);
      }
      begin = i + 1;
    }
  }
  return widths;
}

} // namespace convoy::schedule
