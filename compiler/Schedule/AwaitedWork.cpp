// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes what each work of a list awaits, from earliest executable conditions. The flow graph of
// the list has a task per work, a task per branch and a task at the end:
//
//     0: conv     1: branch ==(0)==> 2: pool --> 4: add        4: 0 & (2 | 1>1) & (3 | 1>0)
//                           ==(1)==> 3: copy --^
//
// A worker evaluates "1 branched in direction 1" itself, so it waits for task 2 only if the
// condition holds. Without branches, each work awaits its needs.

#include "Schedule/Schedule.h"
#include "Schedule/StartCondition.h"

using namespace mlir;

namespace convoy::schedule {
namespace {

/// Builds the flow graph of works in program order.
class FlowBuilder {
public:
  explicit FlowBuilder(ArrayRef<Work> works) : works(works), numbers(works.size()) {
    addRange(0, works.size(), 0);
    enter(); // the end
    for (auto [i, work] : llvm::enumerate(works)) {
      for (unsigned need : work.needs) {
        tasks[numbers[i]].needs.push_back(numbers[need]);
      }
    }
    for (auto [i, number] : llvm::enumerate(numbers)) {
      workOf[number] = i;
    }
  }

  std::vector<FlowTask> tasks;
  std::map<unsigned, unsigned> workOf; // by task

private:
  /// Adds a task that follows all open ends.
  unsigned enter() {
    unsigned number = tasks.size();
    tasks.emplace_back();
    for (unsigned end : ends) {
      tasks[end].next.push_back(number);
    }
    ends = {number};
    return number;
  }

  /// Adds the works [begin, end), which have the same first `depth` guards.
  void addRange(unsigned begin, unsigned end, size_t depth) {
    for (unsigned i = begin; i < end;) {
      if (works[i].guards.size() == depth) {
        numbers[i] = enter();
        ++i;
      } else {
        i = addBranch(i, end, depth);
      }
    }
  }

  /// Adds a branch and the works on its sides: first those of one side, then those of the other.
  unsigned addBranch(unsigned begin, unsigned end, size_t depth) {
    unsigned branch = enter();
    SmallVector<unsigned, 2> joined;
    unsigned at = begin;
    for (unsigned direction = 0; direction < 2; ++direction) {
      ends = {branch};
      unsigned first = at;
      while (at < end && works[at].guards.size() > depth &&
             works[at].guards[depth] == works[first].guards[depth] &&
             works[at].guards[depth].condition == works[begin].guards[depth].condition) {
        ++at;
      }
      addRange(first, at, depth + 1);
      joined.append(ends.begin(), ends.end());
    }
    ends = joined;
    return at;
  }

  ArrayRef<Work> works;
  std::vector<unsigned> numbers; // by work: its task
  SmallVector<unsigned, 2> ends;
};

bool writes(const Work &work, ArrayRef<Access> reads) {
  return llvm::any_of(work.accesses, [&](const Access &access) {
    return access.isWrite && llvm::any_of(reads, [&](const Access &read) {
             return read.argument == access.argument && read.begin < access.end &&
                    access.begin < read.end;
           });
  });
}

/// Returns whether a worker reads what `need` writes in order to know whether the work or an
/// optional need of it is executed.
bool decides(ArrayRef<Work> works, unsigned need, const Work &work) {
  auto isDecided = [&](const Work &by) {
    return llvm::any_of(by.guards,
                        [&](const Guard &guard) { return writes(works[need], guard.reads); });
  };
  return isDecided(work) ||
         llvm::any_of(work.optional, [&](unsigned other) { return isDecided(works[other]); });
}

} // namespace

std::vector<SmallVector<Await>> startConditionsOf(ArrayRef<Work> works) {
  std::vector<SmallVector<Await>> result(works.size());
  bool hasBranches = llvm::any_of(works, [](const Work &work) { return !work.guards.empty(); });
  if (!hasBranches) {
    for (auto [i, work] : llvm::enumerate(works)) {
      for (unsigned need : work.needs) {
        result[i].push_back({need, false});
      }
    }
    return result;
  }
  FlowBuilder flow(works);
  std::vector<StartCondition> conditions = FlowGraph(flow.tasks).startConditions();
  for (auto [task, i] : flow.workOf) {
    std::set<unsigned> awaited;
    for (const Clause &clause : conditions[task].data) {
      for (const Event &event : clause) {
        auto it = flow.workOf.find(event.task);
        if (!event.direction && it != flow.workOf.end()) {
          awaited.insert(it->second);
        }
      }
    }
    for (unsigned need : works[i].needs) {
      if (awaited.count(need) > 0 || decides(works, need, works[i])) {
        result[i].push_back({need, llvm::is_contained(works[i].optional, need)});
      }
    }
  }
  return result;
}

} // namespace convoy::schedule
