// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements convoy-memory-choose-row-groups. The bytes that are live during a group depend only on
// the group, so dynamic programming over the runs finds the smallest maximum, and then the fewest
// runs in groups that keep it. Every call of a group has a cost, so runs stay alone where a group
// does not lower the maximum.

#include "Graph/Graph.h"
#include "Memory/Passes.h"
#include "Memory/RowKernels.h"
#include "Memory/Storage.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace convoy::memory {
#define GEN_PASS_DEF_CHOOSEROWGROUPSPASS
#include "Memory/Passes.h.inc"

namespace {

/// Limits the number of candidates.
constexpr size_t kMostRuns = 24;

/// An op of @main that runs: no constant and no view.
struct Unit {
  Operation *op = nullptr;
  /// Whether the op can be in one group with its predecessor.
  bool continues = false;
  bool hasRows = false;
};

/// The bytes of the groups that start at one unit, by the number of units minus 1.
using Candidates = std::vector<int64_t>;

/// Units that run row by row, or a unit alone.
struct Group {
  size_t begin = 0;
  size_t end = 0;
  bool isDescending = false;
};

class GroupChooser {
public:
  GroupChooser(func::FuncOp main, const MemoryOptions &options)
      : main(main), options(options), kernels(main->getParentOfType<ModuleOp>()) {}

  /// Marks the chosen groups. Returns their number.
  unsigned run() {
    findUnits();
    if (llvm::none_of(units, [](const Unit &unit) { return unit.hasRows; })) {
      return 0;
    }
    measureAll();
    std::vector<size_t> ends = fewestRuns(smallestMaximum());
    for (size_t end : llvm::reverse(ends)) {
      size_t begin = groups.empty() ? 0 : groups.back().end;
      groups.push_back({begin, end, false});
    }
    // Groups that lower the maximum may still make the whole plan larger.
    if (bytesWith(groups) >= plainBytes) {
      groups.clear();
      for (size_t i = 0; i < units.size(); ++i) {
        groups.push_back({i, i + 1, false});
      }
    }
    chooseDirections();
    return mark(groups);
  }

private:
  void findUnits() {
    bool isBroken = true;
    for (Operation &op : main.getBody().front().without_terminator()) {
      if (isa<graph::ConstantOp>(op) || graph::namesStorage(&op)) {
        continue;
      }
      auto run = dyn_cast<task::RunOp>(op);
      Unit unit{&op, false, run && kernels.of(run)};
      unit.continues = unit.hasRows && !isBroken;
      isBroken = !unit.hasRows;
      units.push_back(unit);
    }
  }

  void setGroup(const Group &group, int64_t number) {
    for (size_t i = group.begin; i < group.end; ++i) {
      if (auto run = dyn_cast<task::RunOp>(units[i].op)) {
        run.setRowGroup(number);
        run.setDescending(group.isDescending);
      }
    }
  }

  void clearGroup(size_t first, size_t end) {
    for (size_t i = first; i < end; ++i) {
      if (auto run = dyn_cast<task::RunOp>(units[i].op)) {
        run.removeRowGroupAttr();
        run.setDescending(false);
      }
    }
  }

  int64_t arenaBytes() const {
    StorageMap storages(main, options, &kernels);
    storages.plan(main);
    return storages.arenaBytes();
  }

  /// Measures the bytes of each unit alone and of all groups that can be scheduled.
  void measureAll() {
    plainBytes = arenaBytes();
    StorageMap plain(main, options, &kernels);
    for (size_t first = 0; first < units.size(); ++first) {
      candidates.push_back({plain.bytesBetween(units[first].op, units[first].op)});
      for (size_t end = first + 2;
           end <= units.size() && units[end - 1].continues && end - first <= kMostRuns; ++end) {
        candidates.back().push_back(measureGroup(first, end));
      }
    }
  }

  /// Returns the bytes of a group, or the maximum if it cannot be scheduled.
  int64_t measureGroup(size_t first, size_t end) {
    setGroup({first, end, false}, 0);
    StorageMap storages(main, options, &kernels);
    int64_t bytes = storages.paceOf(units[first].op)
                        ? storages.bytesBetween(units[first].op, units[end - 1].op)
                        : INT64_MAX;
    clearGroup(first, end);
    return bytes;
  }

  /// Returns the smallest maximum of bytes with which all units can be split into groups.
  int64_t smallestMaximum() const {
    std::vector<int64_t> best(units.size() + 1, INT64_MAX);
    best[0] = 0;
    for (size_t first = 0; first < units.size(); ++first) {
      for (auto [more, bytes] : llvm::enumerate(candidates[first])) {
        int64_t &end = best[first + more + 1];
        end = std::min(end, std::max(best[first], bytes));
      }
    }
    return best.back();
  }

  /// Returns the end of each group, in descending order, with the fewest runs in groups of two or
  /// more such that no group needs more than `most` bytes.
  std::vector<size_t> fewestRuns(int64_t most) const {
    std::vector<size_t> cost(units.size() + 1, SIZE_MAX);
    std::vector<size_t> from(units.size() + 1, 0);
    cost[0] = 0;
    for (size_t first = 0; first < units.size(); ++first) {
      for (auto [more, bytes] : llvm::enumerate(candidates[first])) {
        size_t total = cost[first] == SIZE_MAX ? SIZE_MAX : cost[first] + (more > 0 ? more + 1 : 0);
        if (bytes <= most && total < cost[first + more + 1]) {
          cost[first + more + 1] = total;
          from[first + more + 1] = first;
        }
      }
    }
    std::vector<size_t> ends;
    for (size_t end = units.size(); end > 0; end = from[end]) {
      ends.push_back(end);
    }
    return ends;
  }

  /// Marks the runs of the groups. An ascending run alone needs no mark. Returns the number of
  /// groups.
  unsigned mark(ArrayRef<Group> marked) {
    clearGroup(0, units.size());
    unsigned number = 0;
    for (const Group &group : marked) {
      if (group.end - group.begin > 1 || group.isDescending) {
        setGroup(group, number++);
      }
    }
    return number;
  }

  int64_t bytesWith(ArrayRef<Group> marked) {
    mark(marked);
    int64_t bytes = arenaBytes();
    clearGroup(0, units.size());
    return bytes;
  }

  /// Returns whether a group may start with the last row.
  bool canDescend(const Group &group) const {
    return llvm::all_of(
        ArrayRef(units).slice(group.begin, group.end - group.begin), [&](const Unit &unit) {
          return unit.hasRows && !kernels.of(cast<task::RunOp>(unit.op))->isAscending;
        });
  }

  /// Turns groups around while the arena gets smaller. A sequence of results that each lie before
  /// their operands moves through the memory, unless every second group descends. Ascending runs
  /// need no loop, so they are preferred.
  void chooseDirections() {
    int64_t best = bytesWith(groups);
    std::vector<Group> alternating = groups;
    for (auto [i, group] : llvm::enumerate(alternating)) {
      group.isDescending = i % 2 == 1 && canDescend(group);
    }
    if (int64_t bytes = bytesWith(alternating); bytes < best) {
      best = bytes;
      groups = alternating;
    }
    for (Group &group : groups) {
      group.isDescending = !group.isDescending && canDescend(group);
      int64_t bytes = bytesWith(groups);
      bool isBetter = bytes < best || (bytes == best && !group.isDescending);
      group.isDescending = isBetter ? group.isDescending : !group.isDescending;
      best = std::min(best, bytes);
    }
  }

  func::FuncOp main;
  MemoryOptions options;
  RowKernels kernels;
  std::vector<Unit> units;
  std::vector<Candidates> candidates; // by first unit
  std::vector<Group> groups;
  int64_t plainBytes = 0;
};

struct ChooseRowGroups : impl::ChooseRowGroupsPassBase<ChooseRowGroups> {
  using ChooseRowGroupsPassBase::ChooseRowGroupsPassBase;

  void runOnOperation() override {
    auto main = getOperation().lookupSymbol<func::FuncOp>("main");
    if (!main) {
      getOperation().emitOpError("has no function @main; expected the result of the tasks stage");
      return signalPassFailure();
    }
    MemoryOptions options;
    options.alignment = alignment;
    groupCount += GroupChooser(main, options).run();
  }
};

} // namespace
} // namespace convoy::memory
