// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests schedulers on graphs without IR: properties that every schedule must have, and small graphs
// whose best schedule is known.

#include "Schedule/MacroTasks.h"
#include "Schedule/Schedule.h"
#include <gtest/gtest.h>
#include <random>

using namespace convoy::schedule;

namespace {

constexpr double kUs = 1000;

MacroGraph makeGraph(unsigned workers) {
  MacroGraph graph;
  graph.workers = workers;
  graph.meetNs = 300;
  graph.flagNs = 40;
  return graph;
}

unsigned addTask(MacroGraph &graph, double costNs, int64_t takes,
                 llvm::ArrayRef<unsigned> needs = {}, int64_t bytes = 0) {
  unsigned task = graph.tasks.size();
  unsigned most = static_cast<unsigned>(std::min<int64_t>(takes, graph.workers));
  graph.tasks.push_back({costNs, takes, most, /*isPinned=*/false, {}, {}});
  for (unsigned need : needs) {
    graph.addNeed(need, task, bytes);
  }
  return task;
}

/// Returns tasks of all sizes that depend on some of the previous `window` tasks.
MacroGraph randomGraph(unsigned count, unsigned workers, unsigned window, unsigned seed) {
  std::mt19937 draw(seed); // NOLINT(cert-msc51-cpp): the same graphs in every run
  MacroGraph graph = makeGraph(workers);
  for (unsigned i = 0; i < count; ++i) {
    std::vector<unsigned> needs;
    for (unsigned k = i == 0 ? 0 : 1 + draw() % 3; k > 0; --k) {
      needs.push_back(i - 1 - draw() % std::min(i, window));
    }
    std::sort(needs.begin(), needs.end());
    needs.erase(std::unique(needs.begin(), needs.end()), needs.end());
    double costNs = kUs + draw() % 100000;
    int64_t takes = 1 + draw() % 30;
    addTask(graph, costNs, takes, needs, draw() % 100000);
    graph.tasks.back().isPinned = draw() % 20 == 0;
    if (graph.tasks.back().isPinned) {
      graph.tasks.back().mostWorkers = 1;
    }
  }
  return graph;
}

/// Splits every task among as many workers as possible, in program order.
ScheduleCandidate plainSchedule(const MacroGraph &graph) {
  ScheduleCandidate plain;
  plain.name = nameOf(Scheduler::ProgramOrder);
  for (unsigned i = 0; i < graph.tasks.size(); ++i) {
    Placement placement{i, {}};
    for (unsigned worker = 0; worker < graph.tasks[i].mostWorkers; ++worker) {
      placement.group.push_back(worker);
    }
    plain.order.push_back(placement);
  }
  predict(graph, plain);
  return plain;
}

void expectValid(const MacroGraph &graph, const ScheduleCandidate &candidate) {
  std::vector<bool> isDone(graph.tasks.size(), false);
  for (const Placement &placement : candidate.order) {
    const MacroTask &task = graph.tasks[placement.task];
    EXPECT_FALSE(isDone[placement.task]) << "done twice";
    for (const MacroNeed &need : task.needs) {
      EXPECT_TRUE(isDone[need.task]) << placement.task << " comes before " << need.task;
    }
    ASSERT_FALSE(placement.group.empty());
    EXPECT_LE(placement.group.size(), task.mostWorkers);
    EXPECT_LT(placement.group.back(), graph.workers);
    EXPECT_TRUE(std::adjacent_find(placement.group.begin(), placement.group.end(),
                                   std::greater_equal<>()) == placement.group.end());
    EXPECT_TRUE(!task.isPinned || placement.group.back() == 0);
    isDone[placement.task] = true;
  }
  EXPECT_EQ(candidate.order.size(), graph.tasks.size());
}

/// Checks that no worker runs two tasks at once and that no task starts before its dependences end.
void expectPossible(const MacroGraph &graph, const ScheduleCandidate &candidate) {
  Timeline timeline(graph);
  for (const Placement &placement : candidate.order) {
    timeline.place(placement);
  }
  std::vector<double> freeNs(graph.workers, 0);
  std::vector<double> endNs(graph.tasks.size(), 0);
  for (const Span &span : timeline.spans()) {
    EXPECT_GE(span.begin, freeNs[span.worker]);
    EXPECT_GE(span.end, span.begin);
    freeNs[span.worker] = span.end;
    endNs[span.task] = std::max(endNs[span.task], span.end);
    for (const MacroNeed &need : graph.tasks[span.task].needs) {
      EXPECT_GE(span.begin, endNs[need.task]);
    }
  }
  EXPECT_DOUBLE_EQ(candidate.makespanNs, *std::max_element(freeNs.begin(), freeNs.end()));
  EXPECT_GE(candidate.makespanNs * graph.workers, graph.serialNs() * (1 - 1e-9));
}

TEST(Timeline, LevelsOutSharesButNotWithinATake) {
  MacroGraph graph = makeGraph(8);
  graph.flagNs = 0;
  unsigned rows = addTask(graph, 14 * kUs, 14);
  Timeline timeline(graph);
  EXPECT_DOUBLE_EQ(timeline.endOf(rows, std::vector<double>(7, 0)), 2 * kUs);
  EXPECT_NEAR(timeline.endOf(rows, std::vector<double>(8, 0)), 2 * kUs, 1);
  // A worker that arrives 4 us late takes 4 steps less: 9 and 5.
  EXPECT_NEAR(timeline.endOf(rows, {0, 4 * kUs}), 9 * kUs, 1);
  // A worker that arrives after the last step only delays the other workers.
  EXPECT_DOUBLE_EQ(timeline.endOf(rows, {0, 20 * kUs}), 20 * kUs);
}

TEST(Timeline, CountsBytesThatOthersWrote) {
  MacroGraph graph = makeGraph(2);
  unsigned first = addTask(graph, 10 * kUs, 10);
  unsigned second = addTask(graph, 10 * kUs, 10, {first}, 8000);
  ScheduleCandidate same{"", {{first, {0, 1}}, {second, {0, 1}}}};
  ScheduleCandidate one{"", {{first, {0, 1}}, {second, {0}}}};
  predict(graph, same);
  predict(graph, one);
  EXPECT_EQ(same.transferBytes, 0); // each worker reads its own half
  EXPECT_EQ(one.transferBytes, 4000);
  EXPECT_DOUBLE_EQ(same.makespanNs, 10 * kUs + graph.meetNs + 3 * graph.flagNs);
}

TEST(Timeline, ExclusiveSidesTakeNoTimeFromEachOther) {
  MacroGraph graph = makeGraph(1);
  int condition = 0;
  unsigned first = addTask(graph, 2 * kUs, 1);
  unsigned high = addTask(graph, 10 * kUs, 1, {first});
  unsigned low = addTask(graph, 4 * kUs, 1, {first});
  unsigned last = addTask(graph, kUs, 1, {high, low});
  graph.tasks[high].sides = {{&condition, true}};
  graph.tasks[low].sides = {{&condition, false}};
  ScheduleCandidate order{"", {{first, {0}}, {high, {0}}, {low, {0}}, {last, {0}}}};
  predict(graph, order);
  EXPECT_DOUBLE_EQ(order.makespanNs, 13 * kUs);
  EXPECT_DOUBLE_EQ(graph.serialNs(), 13 * kUs);
  Timeline timeline(graph);
  for (const Placement &placement : order.order) {
    timeline.place(placement);
  }
  EXPECT_DOUBLE_EQ(timeline.spans()[2].begin, 2 * kUs); // not after the other side
  EXPECT_EQ(timeline.criticalTasks(), (std::vector<unsigned>{first, high, last}));
}

TEST(ChooseSchedule, PutsExclusiveSidesOnAllWorkers) {
  MacroGraph graph = makeGraph(2);
  int condition = 0;
  std::vector<unsigned> sides;
  for (unsigned i = 0; i < 4; ++i) { // two tasks that run at the same time on each side
    sides.push_back(addTask(graph, 100 * kUs, 1));
    graph.tasks[sides.back()].sides = {{&condition, i < 2}};
  }
  addTask(graph, kUs, 1, sides);
  ScheduleCandidate best = chooseSchedule(graph, plainSchedule(graph), Scheduler::Best);
  EXPECT_LT(best.makespanNs, 102 * kUs);
}

TEST(ChooseSchedule, CutsChainsAmongAll) {
  MacroGraph graph = makeGraph(4);
  unsigned last = addTask(graph, 100 * kUs, 56);
  for (int i = 0; i < 9; ++i) {
    last = addTask(graph, 100 * kUs, 56, {last}, 1000);
  }
  ScheduleCandidate best = chooseSchedule(graph, plainSchedule(graph), Scheduler::Best);
  for (const Placement &placement : best.order) {
    EXPECT_EQ(placement.group.size(), 4U);
  }
  EXPECT_LT(best.makespanNs, 1.1 * graph.serialNs() / 4);
}

TEST(ChooseSchedule, PutsBranchesSideBySide) {
  // Three branches of two layers, whose rows three workers cannot share evenly.
  MacroGraph graph = makeGraph(3);
  unsigned first = addTask(graph, 90 * kUs, 30);
  std::vector<unsigned> ends;
  for (int i = 0; i < 3; ++i) {
    unsigned one = addTask(graph, 40 * kUs, 4, {first}, 3000);
    ends.push_back(addTask(graph, 40 * kUs, 4, {one}, 3000));
  }
  addTask(graph, 90 * kUs, 30, ends, 3000);
  std::vector<unsigned> widths = chooseWidths(graph);
  EXPECT_EQ(widths.front(), 3U);
  EXPECT_EQ(widths.back(), 3U);
  ScheduleCandidate plain = plainSchedule(graph);
  ScheduleCandidate best = chooseSchedule(graph, plain, Scheduler::Best);
  expectValid(graph, best);
  EXPECT_LT(best.makespanNs, 142 * kUs); // 30 + 80 + 30 plus synchronization
  EXPECT_GT(plain.makespanNs, 170 * kUs);
}

TEST(ChooseSchedule, KeepsSmallTasksWhole) {
  MacroGraph graph = makeGraph(2);
  unsigned last = addTask(graph, 200, 16);
  for (int i = 0; i < 5; ++i) {
    last = addTask(graph, 200, 16, {last}, 1000);
  }
  ScheduleCandidate best = chooseSchedule(graph, plainSchedule(graph), Scheduler::Best);
  EXPECT_DOUBLE_EQ(best.makespanNs, 1200);
  for (const Placement &placement : best.order) {
    EXPECT_EQ(placement.group.size(), 1U);
  }
}

TEST(ImproveSchedule, FindsWhatListSchedulesMiss) {
  unsigned shorter = 0;
  for (unsigned seed = 0; seed < 10; ++seed) {
    MacroGraph graph = randomGraph(40, 4, 10, seed);
    ListOptions options;
    options.widths = fullWidths(graph);
    ScheduleCandidate start = listSchedule(graph, options);
    ScheduleCandidate found = improve(graph, start, options, 20000);
    expectValid(graph, found);
    EXPECT_LE(found.makespanNs, start.makespanNs);
    EXPECT_EQ(improve(graph, start, options, 0).makespanNs, start.makespanNs);
    shorter += found.makespanNs < start.makespanNs ? 1 : 0;
  }
  EXPECT_GE(shorter, 5U);
}

TEST(ChooseSchedule, IsValidAndNeverLongerThanThePlainOne) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    MacroGraph graph = randomGraph(10 + seed, 1 + seed % 9, 1 + seed % 17, seed);
    ScheduleCandidate plain = plainSchedule(graph);
    for (Scheduler scheduler : kSchedulers) {
      ScheduleCandidate candidate = chooseSchedule(graph, plain, scheduler);
      expectValid(graph, candidate);
      expectPossible(graph, candidate);
      if (scheduler == Scheduler::Best) {
        EXPECT_LE(candidate.makespanNs, plain.makespanNs);
        ScheduleCandidate again = chooseSchedule(graph, plain, scheduler);
        EXPECT_EQ(again.makespanNs, candidate.makespanNs);
        EXPECT_EQ(piecesOf(again.order).size(), piecesOf(candidate.order).size());
      } else {
        EXPECT_EQ(candidate.name, nameOf(scheduler));
      }
    }
  }
}

} // namespace
