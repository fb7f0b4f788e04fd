// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many workers each task gets. The graph falls into stretches between necks,
// tasks that every path goes through; what is best in one stretch has no say in the
// next. In each, some ways to group the workers are tried:
//
//     neck --+-- a -- b --+-- neck      all workers for a, then b, then c
//            +---- c -----+             a and b on some workers, c on the others
//
// A task may not be worth as many workers as its group has; it then gets fewer.

#include "Tasks/MacroTasks.h"
#include "llvm/ADT/IntEqClasses.h"
#include <algorithm>
#include <cmath>

namespace convoy::tasks {
namespace {

// Groups side by side must be this much shorter than all workers for each task: costs
// are estimates, and a mistake in one is levelled out only inside a group.
constexpr double kGroupGain = 0.95;

/// Tasks that all paths go through. In each beginning of the order that ends with a
/// neck it is the only task that nothing in it uses, and the same the other way round.
/// Results of the model and first tasks do not count.
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

/// A run of tasks between two necks.
class Stretch {
public:
  Stretch(const MacroGraph &whole, unsigned begin, unsigned end) : branches(end - begin) {
    graph.workers = whole.workers;
    graph.meetNs = whole.meetNs;
    graph.flagNs = whole.flagNs;
    for (unsigned i = begin; i < end; ++i) {
      const MacroTask &task = whole.tasks[i];
      graph.tasks.push_back(
          {task.costNs, task.takes, task.mostWorkers, task.isPinned, {}, {}, task.local});
      for (const MacroNeed &need : task.needs) {
        if (need.task >= begin) { // others are done
          graph.addNeed(need.task - begin, i - begin, need.bytes);
          branches.join(i - begin, need.task - begin);
        }
      }
    }
    branches.compress();
  }

  /// The best widths of its tasks that are found.
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

  /// Workers for each branch, by how much work is in it.
  std::vector<double> branchShares() const {
    std::vector<double> shares(branches.getNumClasses(), 0);
    double all = graph.serialNs();
    for (unsigned i = 0; i < graph.tasks.size() && all > 0; ++i) {
      shares[branches[i]] += graph.workers * graph.tasks[i].costNs / all;
    }
    return shares;
  }

  /// Para: how many workers a schedule without cutting could keep busy.
  unsigned parallelism() const {
    double longest = graph.criticalNs();
    double most = longest > 0 ? std::ceil(graph.serialNs() / longest) : 1;
    return std::max(1U, static_cast<unsigned>(most));
  }

  MacroGraph graph;
  llvm::IntEqClasses branches; // tasks that are connected
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

} // namespace convoy::tasks
