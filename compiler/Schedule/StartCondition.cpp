// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes earliest executable conditions of macro tasks in a graph with branches.
//
//     0 --> 1 ==(0)==> 2 --> 4        2 and 3 are executed on one side of 1 each;
//             ==(1)==> 3 --^          4 reads what either of them writes.
//
//     2: 1>0        3: 1>1        4: (2 | 1>1) & (3 | 1>0)
//
// Control reaches 4 only after 2 or 3; the condition lets 4 start as soon as its inputs are
// complete. Four rules, marked below, simplify the condition in order.

#include "Schedule/StartCondition.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <functional>

namespace convoy::schedule {
namespace {

std::string textOf(const Event &event) {
  std::string text = std::to_string(event.task);
  return event.direction ? text + ">" + std::to_string(*event.direction) : text;
}

std::string textOf(const Clause &clause) {
  std::string text;
  for (const Event &event : clause) {
    text += (text.empty() ? "" : " | ") + textOf(event);
  }
  return clause.size() > 1 ? "(" + text + ")" : text;
}

} // namespace

std::string StartCondition::text() const {
  std::string result;
  for (const Clause &clause : data) {
    result += (result.empty() ? "" : " & ") + textOf(clause);
  }
  if (!control.empty()) {
    result += (result.empty() ? "" : " & ") + textOf(control);
  }
  return result.empty() ? "start" : result;
}

FlowGraph::FlowGraph(std::vector<FlowTask> flow) : tasks(std::move(flow)) {
  findReachable();
  findUnavoidable();
  findControl();
}

void FlowGraph::findReachable() {
  reachable.assign(tasks.size(), Set(tasks.size()));
  for (unsigned i = tasks.size(); i-- > 0;) {
    reachable[i].set(i);
    for (unsigned next : tasks[i].next) {
      reachable[i] |= reachable[next];
    }
  }
}

/// Computes post-dominators: the tasks on all paths to the end.
void FlowGraph::findUnavoidable() {
  unavoidable.assign(tasks.size(), Set(tasks.size()));
  for (unsigned i = tasks.size(); i-- > 0;) {
    for (unsigned n = 0; n < tasks[i].next.size(); ++n) {
      const Set &other = unavoidable[tasks[i].next[n]];
      n == 0 ? unavoidable[i] = other : unavoidable[i] &= other;
    }
    unavoidable[i].set(i);
  }
}

void FlowGraph::findControl() {
  control.resize(tasks.size());
  for (unsigned branch = 0; branch < tasks.size(); ++branch) {
    for (unsigned direction = 0; direction < tasks[branch].next.size(); ++direction) {
      Set decided = unavoidable[tasks[branch].next[direction]];
      decided.reset(unavoidable[branch]);
      for (unsigned k : decided.set_bits()) {
        control[k].insert({branch, direction});
      }
    }
  }
}

Clause FlowGraph::preventing(unsigned task) const {
  Clause result;
  std::function<void(unsigned)> visit = [&](unsigned at) {
    for (const Event &event : control[at]) {
      const FlowTask &branch = tasks[event.task];
      for (unsigned direction = 0; direction < branch.next.size(); ++direction) {
        if (!reachable[branch.next[direction]][task]) {
          result.insert({event.task, direction});
        }
      }
      visit(event.task);
    }
  };
  visit(task);
  return result;
}

bool FlowGraph::isExclusive(unsigned a, unsigned b) const {
  return !reachable[a][b] && !reachable[b][a];
}

/// Returns whether a task is certainly executed if one of the given branches was taken: it is
/// always executed, or every one of the branches leads to it or comes after it.
bool FlowGraph::runsWith(unsigned task, const Clause &given) const {
  if (control[task].empty()) {
    return true;
  }
  return !given.empty() && llvm::all_of(given, [&](const Event &event) {
    unsigned next = tasks[event.task].next[*event.direction];
    return task == event.task || unavoidable[next][task] ||
           (task < event.task && runsWith(task, control[event.task]));
  });
}

/// Returns the needs of a task that no rule makes redundant. `before` holds for each task the tasks
/// that are certainly done when it starts.
std::set<unsigned> FlowGraph::openNeeds(unsigned task, llvm::ArrayRef<Set> before,
                                        const ConditionRules &rules) const {
  const Clause &given = control[task];
  std::set<unsigned> needs(tasks[task].needs.begin(), tasks[task].needs.end());
  if (rules.dropsWhatBranchAwaited && given.size() == 1) { // [rule 1]
    for (unsigned awaited : before[given.begin()->task].set_bits()) {
      needs.erase(awaited);
    }
  }
  std::set<unsigned> kept = needs;
  for (unsigned by : needs) {
    if (rules.dropsImpliedTasks && runsWith(by, given)) { // [rule 4]
      for (unsigned need : needs) {
        if (before[by].test(need)) {
          kept.erase(need);
        }
      }
    }
  }
  return kept;
}

std::vector<StartCondition> FlowGraph::startConditions(const ConditionRules &rules) const {
  std::vector<StartCondition> result(tasks.size());
  std::vector<Set> before(tasks.size(), Set(tasks.size()));
  for (unsigned i = 0; i < tasks.size(); ++i) {
    bool isSettled = false;
    for (unsigned k : openNeeds(i, before, rules)) {
      Clause clause{{k, std::nullopt}};
      bool isSure = control[k].empty() || (rules.knowsSameSide && runsWith(k, control[i]));
      if (!isSure) { // [rule 2]
        Clause others = preventing(k);
        clause.insert(others.begin(), others.end());
      }
      // [rule 3]
      isSettled = isSettled || (rules.dropsImpliedControl && isSure && !control[k].empty() &&
                                std::includes(control[i].begin(), control[i].end(),
                                              control[k].begin(), control[k].end()));
      if (isSure) {
        before[i].set(k);
        before[i] |= before[k];
      }
      result[i].data.push_back(std::move(clause));
    }
    if (control[i].size() == 1) {
      before[i] |= before[control[i].begin()->task];
    }
    result[i].control = isSettled ? Clause() : control[i];
  }
  return result;
}

} // namespace convoy::schedule
