// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When may a macro task start, in a graph with branches? A macro-flow graph says in
// what order control passes through tasks, and which tasks read what others write.
// The earliest executable condition of a task follows from it: a formula over "task k
// is done" and "task j branched that way", which needs no other order.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace convoy::tasks {

/// A task as control flows. Tasks are numbered so that control only goes up.
struct FlowTask {
  /// Where control may go next: one for no branch, several for one, by direction; none
  /// at the end.
  llvm::SmallVector<unsigned, 2> next;
  /// Tasks whose data it uses, if they are executed.
  llvm::SmallVector<unsigned, 4> needs;
};

/// "Task is done" without a direction, "task branched that way" with one.
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

/// One of these must have happened.
using Clause = std::set<Event>;

/// All clauses must hold; none: from the start.
struct StartCondition {
  /// That the task will be executed at all; empty when it always is, or when another
  /// clause says so.
  Clause control;
  /// For each task that is needed: that it is done, or will not be.
  std::vector<Clause> data;

  /// "2 & (3 | 1>0) & 1>1": task 2 is done; task 3 is, or 1 branched to its direction 0;
  /// and 1 to its direction 1.
  std::string text() const;
};

/// Which simplifications to make; all, but in tests. The numbers are those of decision 9.
struct ConditionRules {
  bool dropsWhatBranchAwaited = true; // 1
  bool knowsSameSide = true;          // 2
  bool dropsImpliedControl = true;    // 3
  bool dropsImpliedTasks = true;      // 4
};

class FlowGraph {
public:
  explicit FlowGraph(std::vector<FlowTask> tasks);

  /// The branches that decide whether a task is executed: each sends control to where
  /// the task cannot be missed, from where it could be.
  const Clause &controlOf(unsigned task) const { return control[task]; }
  /// Branches after which a task cannot be executed any more.
  Clause preventing(unsigned task) const;
  /// Whether two tasks are never both executed.
  bool isExclusive(unsigned a, unsigned b) const;

  std::vector<StartCondition> startConditions(const ConditionRules &rules = {}) const;

private:
  using Set = std::vector<bool>;

  void findReachable();
  void findUnavoidable();
  void findControl();
  bool runsWith(unsigned task, const Clause &given) const;
  std::set<unsigned> openNeeds(unsigned task, llvm::ArrayRef<std::set<unsigned>> before,
                               const ConditionRules &rules) const;

  std::vector<FlowTask> tasks;
  std::vector<Set> reachable;   // by task: what control may still come to, itself too
  std::vector<Set> unavoidable; // by task: what control will come to, itself too
  std::vector<Clause> control;  // by task
};

} // namespace convoy::tasks
