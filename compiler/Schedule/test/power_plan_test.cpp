// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests plans for a deadline on graphs without IR. A plan meets its deadline, needs less energy
// than full speed, and needs no more energy if the deadline is later.

#include "Schedule/PowerPlan.h"
#include <gtest/gtest.h>

using namespace convoy::schedule;

namespace {

constexpr double kUs = 1000;

const std::vector<PowerState> kStates = {
    {"FULL", 1800, 1000, 100}, {"MID", 1200, 400, 60}, {"LOW", 600, 120, 30}};

/// Returns a chain of tasks that can be split, and one parallel task that cannot.
PowerOption makeOption(unsigned workers) {
  PowerOption option;
  option.graph.workers = workers;
  option.graph.meetNs = 300;
  for (unsigned i = 0; i < 12; ++i) {
    bool isCut = i % 4 != 3;
    option.graph.tasks.push_back(
        {(50 + 10 * i) * kUs, isCut ? 64 : 1, isCut ? workers : 1, false, {}, {}});
    if (i > 0) {
      option.graph.addNeed(i - 1, i, 0);
    }
    Placement placement{i, {}};
    for (unsigned worker = 0; worker < (isCut ? workers : 1); ++worker) {
      placement.group.push_back(worker);
    }
    option.schedule.order.push_back(placement);
  }
  predict(option.graph, option.schedule);
  return option;
}

std::vector<PowerOption> makeOptions() { return {makeOption(1), makeOption(2), makeOption(4)}; }

PowerPlan fullSpeed(llvm::ArrayRef<PowerOption> options) {
  std::vector<unsigned> fastest(options.back().graph.tasks.size(), 0);
  return predictPower(options, options.size() - 1, kStates, fastest);
}

TEST(PowerPlan, SlowerStatesTakeLongerAndLess) {
  std::vector<PowerOption> options = makeOptions();
  size_t tasks = options[0].graph.tasks.size();
  PowerPlan full = predictPower(options, 0, kStates, std::vector<unsigned>(tasks, 0));
  PowerPlan low = predictPower(options, 0, kStates, std::vector<unsigned>(tasks, 2));
  EXPECT_NEAR(full.ns, options[0].graph.serialNs(), 1);
  EXPECT_NEAR(low.ns, 3 * full.ns, 1);
  EXPECT_NEAR(full.microjoules, full.ns * 1000 * 1e-6, 1e-3); // 1 W all the time
  EXPECT_NEAR(low.microjoules, low.ns * 120 * 1e-6, 1e-3);
}

TEST(PowerPlan, WaitingCoresTakeIdlePower) {
  std::vector<PowerOption> options = makeOptions();
  PowerPlan full = fullSpeed(options);
  double busyNs = 0;
  for (const MacroTask &task : options.back().graph.tasks) {
    busyNs += task.costNs;
  }
  double idleNs = 4 * full.ns - busyNs;
  EXPECT_GT(idleNs, 0);
  EXPECT_NEAR(full.microjoules, (1000 * busyNs + 30 * idleNs) * 1e-6, 0.02 * full.microjoules);
}

TEST(PowerPlan, MeetsEachDeadlineWithNoMoreEnergyThanAShorterOne) {
  std::vector<PowerOption> options = makeOptions();
  PowerPlan full = fullSpeed(options);
  double before = full.microjoules;
  for (double factor = 1; factor < 12; factor *= 1.17) {
    std::optional<PowerPlan> plan = planPower(options, kStates, factor * full.ns);
    ASSERT_TRUE(plan) << factor;
    EXPECT_LE(plan->ns, factor * full.ns);
    EXPECT_LE(plan->microjoules, before) << factor;
    // The predicted values equal the simulation of the plan.
    PowerPlan again = predictPower(options, plan->option, kStates, plan->states);
    EXPECT_EQ(again.ns, plan->ns);
    EXPECT_EQ(again.microjoules, plan->microjoules);
    before = plan->microjoules;
  }
  EXPECT_LT(before, 0.5 * full.microjoules);
}

TEST(PowerPlan, MoreSlowCoresRatherThanOneFast) {
  std::vector<PowerOption> options = makeOptions();
  double serialNs = options[0].graph.serialNs();
  std::optional<PowerPlan> plan = planPower(options, kStates, serialNs);
  ASSERT_TRUE(plan);
  EXPECT_GT(plan->option, 0U);
  std::vector<unsigned> fastest(plan->states.size(), 0);
  EXPECT_LT(plan->microjoules, predictPower(options, 0, kStates, fastest).microjoules);
}

TEST(PowerPlan, RefusesADeadlineThatFullSpeedMisses) {
  std::vector<PowerOption> options = makeOptions();
  EXPECT_FALSE(planPower(options, kStates, 0.9 * fullSpeed(options).ns));
}

TEST(PowerPlan, StatesAsText) {
  EXPECT_EQ(toText(kStates[2]), "LOW:600:120:30");
  std::optional<PowerState> state = parsePowerState("LOW:600:120:30");
  ASSERT_TRUE(state);
  EXPECT_EQ(state->name, "LOW");
  EXPECT_EQ(state->idleMilliwatts, 30);
  for (const char *wrong : {"", "LOW", "LOW:600:120", ":600:120:30", "LOW:0:1:1", "LOW:x:1:1"}) {
    EXPECT_FALSE(parsePowerState(wrong)) << wrong;
  }
}

} // namespace
