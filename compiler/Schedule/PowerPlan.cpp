// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans power states for a deadline and a number of cores. The planner starts with the state for
// all tasks that meets the deadline with the least energy. It then slows down single tasks, longest
// first, while the deadline holds and energy decreases. A greedy plan can get worse for a longer
// deadline, so the planner tries a fixed ladder of deadlines: all steps below a deadline are also
// below a longer one, so a longer deadline never needs more energy.

#include "Schedule/PowerPlan.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <numeric>

namespace convoy::schedule {
namespace {

// Ratio of two steps of the ladder.
constexpr double kLadderFactor = 1.05;
// Maximum number of tasks placed by all searches, which bounds the time for large graphs.
constexpr double kMostPlacements = 4e6;
// Converts mW x ns to uJ.
constexpr double kMicrojoules = 1e-6;

class Planner {
public:
  Planner(llvm::ArrayRef<PowerOption> options, llvm::ArrayRef<PowerState> states)
      : options(options), states(states) {}

  PowerPlan atFullSpeed(size_t option) const { return uniform(option, 0); }

  PowerPlan uniform(size_t option, unsigned state) const {
    size_t tasks = options[option].graph.tasks.size();
    return predictPower(options, option, states, std::vector<unsigned>(tasks, state));
  }

  /// Returns nullopt if the option cannot meet the deadline.
  std::optional<PowerPlan> plan(size_t option, double deadlineNs, double placements) const {
    std::optional<PowerPlan> best;
    for (unsigned state = 0; state < states.size(); ++state) {
      PowerPlan plan = uniform(option, state);
      if (plan.ns <= deadlineNs && (!best || plan.microjoules < best->microjoules)) {
        best = plan;
      }
    }
    for (bool hasFallen = best.has_value(); hasFallen && placements > 0;) {
      hasFallen = slowDown(*best, deadlineNs, placements);
    }
    return best;
  }

private:
  /// Tries to slow down each task once. Returns whether any try reduced the energy.
  bool slowDown(PowerPlan &best, double deadlineNs, double &placements) const {
    const std::vector<MacroTask> &tasks = options[best.option].graph.tasks;
    std::vector<unsigned> order(tasks.size());
    std::iota(order.begin(), order.end(), 0);
    llvm::sort(order, [&](unsigned a, unsigned b) {
      return tasks[a].costNs != tasks[b].costNs ? tasks[a].costNs > tasks[b].costNs : a < b;
    });
    bool hasFallen = false;
    for (unsigned task : order) {
      if (best.states[task] + 1 >= states.size() || placements <= 0) {
        continue;
      }
      placements -= static_cast<double>(tasks.size());
      std::vector<unsigned> slower = best.states;
      ++slower[task];
      PowerPlan plan = predictPower(options, best.option, states, std::move(slower));
      if (plan.ns <= deadlineNs && plan.microjoules < best.microjoules) {
        best = std::move(plan);
        hasFallen = true;
      }
    }
    return hasFallen;
  }

  llvm::ArrayRef<PowerOption> options;
  llvm::ArrayRef<PowerState> states;
};

} // namespace

std::string toText(const PowerState &state) {
  auto number = [](double value) { return std::to_string(static_cast<int64_t>(value)); };
  return state.name + ":" + number(state.megahertz) + ":" + number(state.activeMilliwatts) + ":" +
         number(state.idleMilliwatts);
}

std::optional<PowerState> parsePowerState(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef, 4> fields;
  text.split(fields, ':');
  PowerState state;
  if (fields.size() != 4 || fields[0].empty() || fields[1].getAsDouble(state.megahertz) ||
      fields[2].getAsDouble(state.activeMilliwatts) ||
      fields[3].getAsDouble(state.idleMilliwatts) || state.megahertz <= 0) {
    return std::nullopt;
  }
  state.name = fields[0].str();
  return state;
}

PowerPlan predictPower(llvm::ArrayRef<PowerOption> options, size_t option,
                       llvm::ArrayRef<PowerState> states, std::vector<unsigned> stateOfTask) {
  MacroGraph graph = options[option].graph;
  for (auto [task, state] : llvm::zip(graph.tasks, stateOfTask)) {
    double factor = states.front().megahertz / states[state].megahertz;
    task.costNs *= factor;
    llvm::for_each(task.loopNs, [&](double &ns) { ns *= factor; });
  }
  Timeline timeline(graph);
  for (const Placement &placement : options[option].schedule.order) {
    timeline.place(placement);
  }
  PowerPlan plan;
  plan.option = option;
  plan.ns = timeline.makespanNs();
  std::vector<double> busyNs(graph.tasks.size(), 0);
  std::vector<double> activeMicrojoules(graph.tasks.size(), 0);
  for (const Span &span : timeline.spans()) {
    const PowerState &state = states[stateOfTask[span.task]];
    activeMicrojoules[span.task] += kMicrojoules * state.activeMilliwatts * (span.end - span.begin);
    busyNs[span.task] += span.end - span.begin;
  }
  double idleNs = std::max(plan.ns * graph.workers - graph.sumOf(busyNs), 0.0);
  plan.microjoules =
      graph.sumOf(activeMicrojoules) + kMicrojoules * states.back().idleMilliwatts * idleNs;
  plan.states = std::move(stateOfTask);
  return plan;
}

std::optional<PowerPlan> planPower(llvm::ArrayRef<PowerOption> options,
                                   llvm::ArrayRef<PowerState> states, double deadlineNs) {
  Planner planner(options, states);
  // The ladder starts at the shortest time of all options and ends at the time with all tasks in
  // the slowest state.
  double low = 0;
  double high = 0;
  for (size_t option = 0; option < options.size(); ++option) {
    double ns = planner.atFullSpeed(option).ns;
    low = option == 0 ? ns : std::min(low, ns);
    high = std::max(high, planner.uniform(option, states.size() - 1).ns);
  }
  double steps = std::ceil(std::log(std::max(high / low, 1.0)) / std::log(kLadderFactor)) + 1;
  double placements = kMostPlacements / (steps * static_cast<double>(options.size()));
  std::optional<PowerPlan> best;
  for (double rung = low; rung <= deadlineNs && rung <= high * kLadderFactor;
       rung *= kLadderFactor) {
    for (size_t option = 0; option < options.size(); ++option) {
      std::optional<PowerPlan> plan = planner.plan(option, rung, placements);
      if (plan && (!best || plan->microjoules < best->microjoules)) {
        best = std::move(plan);
      }
    }
  }
  return best;
}

} // namespace convoy::schedule
