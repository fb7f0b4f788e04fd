// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests earliest executable conditions: control dependence, tasks that may not run, and each
// simplification rule with and without its premise. A randomized test checks that a task whose
// condition holds has all its inputs, whatever the branches do.

#include "Schedule/StartCondition.h"
#include <gtest/gtest.h>
#include <random>

using namespace convoy::schedule;

namespace {

std::vector<std::string> texts(const FlowGraph &graph, const ConditionRules &rules = {}) {
  std::vector<std::string> result;
  for (const StartCondition &condition : graph.startConditions(rules)) {
    result.push_back(condition.text());
  }
  return result;
}

using Texts = std::vector<std::string>;

TEST(StartCondition, WithoutBranchesIsTheReducedGraph) {
  FlowGraph graph({{{1}, {}}, {{2}, {0}}, {{3}, {0, 1}}, {{}, {0, 2}}});
  EXPECT_EQ(texts(graph), (Texts{"start", "0", "1", "2"}));
}

TEST(StartCondition, IndependentTasksStartAtOnce) {
  FlowGraph graph({{{1}, {}}, {{2}, {}}, {{}, {0}}});
  EXPECT_EQ(texts(graph), (Texts{"start", "start", "0"}));
}

TEST(StartCondition, TasksThatMayNotRunAreNotWaitedFor) {
  // 1 branches to 2 or 3; 4 uses both.
  FlowGraph graph({{{1}, {}}, {{2, 3}, {0}}, {{4}, {}}, {{4}, {}}, {{}, {2, 3}}});
  EXPECT_EQ(texts(graph), (Texts{"start", "0", "1>0", "1>1", "(1>1 | 2) & (1>0 | 3)"}));
  EXPECT_TRUE(graph.isExclusive(2, 3));
  EXPECT_FALSE(graph.isExclusive(2, 4));
}

TEST(StartCondition, NestedBranchesPreventFromOutside) {
  // 0 branches to 1 or 4, 1 branches to 2 or 3, all reach 4; 4 uses 2.
  FlowGraph graph({{{1, 4}, {}}, {{2, 3}, {}}, {{4}, {}}, {{4}, {}}, {{}, {2}}});
  EXPECT_EQ(graph.controlOf(1), (Clause{{0, 0}}));
  EXPECT_EQ(graph.controlOf(2), (Clause{{1, 0}}));
  EXPECT_EQ(graph.controlOf(4), Clause());
  EXPECT_EQ(texts(graph).back(), "(0>1 | 1>1 | 2)");
}

TEST(StartCondition, Rule1DropsWhatTheBranchAwaited) {
  // 1 uses 0 and branches to 2, which uses 0 too, or past 2.
  FlowGraph graph({{{1}, {}}, {{2, 3}, {0}}, {{3}, {0}}, {{}, {}}});
  ConditionRules rules;
  EXPECT_EQ(texts(graph, rules)[2], "1>0");
  rules.dropsWhatBranchAwaited = false;
  EXPECT_EQ(texts(graph, rules)[2], "0 & 1>0");
}

TEST(StartCondition, Rule1KeepsWhatTheBranchDidNotAwait) {
  FlowGraph graph({{{1}, {}}, {{2, 3}, {}}, {{3}, {0}}, {{}, {}}});
  EXPECT_EQ(texts(graph)[2], "0 & 1>0");
}

TEST(StartCondition, Rule2KnowsTasksOfTheSameSide) {
  // 0 branches to 1, 2, 3 in turn, or past them to 4; 3 uses 1; 2 writes nothing.
  FlowGraph graph({{{1, 4}, {}}, {{2}, {}}, {{3}, {}}, {{4}, {1}}, {{}, {}}});
  ConditionRules rules;
  rules.dropsImpliedControl = false;
  EXPECT_EQ(texts(graph, rules)[3], "1 & 0>0");
  rules.knowsSameSide = false;
  EXPECT_EQ(texts(graph, rules)[3], "(0>1 | 1) & 0>0");
}

TEST(StartCondition, Rule3DropsControlThatADoneTaskImplies) {
  FlowGraph graph({{{1, 3}, {}}, {{2}, {}}, {{3}, {1}}, {{}, {}}});
  ConditionRules rules;
  EXPECT_EQ(texts(graph, rules)[2], "1");
  rules.dropsImpliedControl = false;
  EXPECT_EQ(texts(graph, rules)[2], "1 & 0>0");
}

TEST(StartCondition, Rule3KeepsControlThatMoreImplies) {
  // 2 uses 0, which always runs, so 0 does not determine the branch of 1.
  FlowGraph graph({{{1}, {}}, {{2, 3}, {}}, {{3}, {0}}, {{}, {}}});
  EXPECT_EQ(texts(graph)[2], "0 & 1>0");
}

TEST(StartCondition, Rule4DropsTasksThatOthersImply) {
  FlowGraph graph({{{1}, {}}, {{2}, {0}}, {{}, {0, 1}}});
  ConditionRules rules;
  EXPECT_EQ(texts(graph, rules)[2], "1");
  rules.dropsImpliedTasks = false;
  EXPECT_EQ(texts(graph, rules)[2], "0 & 1");
}

TEST(StartCondition, Rule4KeepsTasksImpliedOnOneSideOnly) {
  // 2 uses 0 and is on one side of 1; 3 uses both, and needs 0 on the other side.
  FlowGraph graph({{{1}, {}}, {{2, 3}, {}}, {{3}, {0}}, {{}, {0, 2}}});
  EXPECT_EQ(texts(graph)[3], "0 & (1>1 | 2)");
}

/// A walk through the graph with random branches, and the executed tasks.
struct Walk {
  std::vector<bool> isExecuted;
  std::vector<unsigned> directions;
};

/// Starts tasks as early as their conditions allow, in a random order. Checks that each task has
/// its inputs and that all tasks start.
void expectSound(const std::vector<FlowTask> &tasks, const Walk &walk, std::mt19937 &draw) {
  std::vector<StartCondition> conditions = FlowGraph(tasks).startConditions();
  std::vector<bool> isStarted(tasks.size(), false);
  std::vector<bool> isDone(tasks.size(), false);
  auto happened = [&](const Clause &clause) {
    return std::any_of(clause.begin(), clause.end(), [&](const Event &event) {
      return event.direction
                 ? isStarted[event.task] && walk.directions[event.task] == *event.direction
                 : isDone[event.task];
    });
  };
  auto mayStart = [&](unsigned i) {
    const StartCondition &condition = conditions[i];
    return (condition.control.empty() || happened(condition.control)) &&
           std::all_of(condition.data.begin(), condition.data.end(), happened);
  };
  for (size_t turn = 0; turn < 50 * tasks.size(); ++turn) {
    unsigned i = draw() % tasks.size();
    if (isStarted[i]) {
      isDone[i] = true;
    } else if (mayStart(i)) {
      ASSERT_TRUE(walk.isExecuted[i]) << i << " starts, though control does not come to it";
      for (unsigned need : tasks[i].needs) {
        ASSERT_TRUE(isDone[need] || !walk.isExecuted[need]) << i << " misses " << need;
      }
      isStarted[i] = true;
    }
  }
  EXPECT_EQ(isDone, walk.isExecuted) << "some task never starts";
}

TEST(StartCondition, IsSoundOnRandomGraphs) {
  std::mt19937 draw(9); // NOLINT(cert-msc51-cpp): the same graphs in every run
  for (int trial = 0; trial < 400; ++trial) {
    unsigned count = 3 + draw() % 10;
    std::vector<FlowTask> tasks(count);
    for (unsigned i = 0; i + 1 < count; ++i) {
      std::set<unsigned> next{i + 1}; // control can reach every task
      if (draw() % 2 == 0) {
        next.insert(std::min(count - 1, i + 2 + static_cast<unsigned>(draw() % 3)));
      }
      tasks[i].next.assign(next.begin(), next.end());
    }
    for (unsigned i = 1; i < count; ++i) {
      std::set<unsigned> needs;
      for (unsigned k = draw() % 4; k > 0; --k) {
        needs.insert(draw() % i);
      }
      tasks[i].needs.assign(needs.begin(), needs.end());
    }
    for (int way = 0; way < 4; ++way) {
      Walk walk{std::vector<bool>(count, false), std::vector<unsigned>(count, 0)};
      for (unsigned at = 0;;) {
        walk.isExecuted[at] = true;
        if (tasks[at].next.empty()) {
          break;
        }
        walk.directions[at] = draw() % tasks[at].next.size();
        at = tasks[at].next[walk.directions[at]];
      }
      expectSound(tasks, walk, draw);
    }
  }
}

} // namespace
