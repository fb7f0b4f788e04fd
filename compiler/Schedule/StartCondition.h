// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes when a macro task may start in a graph with branches. A macro-flow graph holds the
// control flow between tasks and the data dependences. The earliest executable condition of a task
// follows from it: a formula over "task k is done" and "task j branched in a direction".
// AwaitedWork.cpp computes the waits of a work list with it.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace convoy::schedule {

/// A task in the control-flow graph. Tasks are numbered so that control only goes to higher
/// numbers.
struct FlowTask {
  /// The successors: one without a branch, several for a branch, by direction; none at the end.
  llvm::SmallVector<unsigned, 2> next;
  /// Tasks whose data it uses, if they are executed.
  llvm::SmallVector<unsigned, 4> needs;
};

/// "Task is done" without a direction, "task branched in this direction" with one.
struct Event {
  unsigned task = 0;
  std::optional<unsigned> direction;

  bool operator<(const Event &other) const {
    return std::pair(task, direction) < std::pair(other.task, other.direction);
  }
  bool operator==(const Event &other) const {
    return task == other.task && direction == other.direction;
  }
};

/// A disjunction: one of the events must have happened.
using Clause = std::set<Event>;

/// A conjunction of clauses; without clauses the task can start immediately.
struct StartCondition {
  /// The task will be executed; empty if it always is, or if another clause implies it.
  Clause control;
  /// For each needed task: it is done, or it will not be executed.
  std::vector<Clause> data;

  /// Returns the condition as text. "2 & (3 | 1>0) & 1>1" means: task 2 is done, task 3 is done or
  /// task 1 branched in direction 0, and task 1 branched in direction 1.
  std::string text() const;
};

/// The enabled simplifications; only tests disable some. Decision 9 defines the numbers.
struct ConditionRules {
  bool dropsWhatBranchAwaited = true; // 1
  bool knowsSameSide = true;          // 2
  bool dropsImpliedControl = true;    // 3
  bool dropsImpliedTasks = true;      // 4
};

class FlowGraph {
public:
  explicit FlowGraph(std::vector<FlowTask> tasks);

  /// Returns the branches that decide whether a task is executed: after the branch the task is
  /// certain, before it the task is not.
  const Clause &controlOf(unsigned task) const { return control[task]; }
  /// Returns the branches after which a task cannot be executed any more.
  Clause preventing(unsigned task) const;
  /// Returns whether two tasks are never both executed.
  bool isExclusive(unsigned a, unsigned b) const;

  std::vector<StartCondition> startConditions(const ConditionRules &rules = {}) const;

private:
  using Set = llvm::BitVector;

  void findReachable();
  void findUnavoidable();
  void findControl();
  bool runsWith(unsigned task, const Clause &given) const;
  std::set<unsigned> openNeeds(unsigned task, llvm::ArrayRef<Set> before,
                               const ConditionRules &rules) const;

  std::vector<FlowTask> tasks;
  std::vector<Set> reachable;   // by task: tasks that control may reach, including itself
  std::vector<Set> unavoidable; // by task: tasks that control always reaches, including itself
  std::vector<Clause> control;  // by task
};

} // namespace convoy::schedule
