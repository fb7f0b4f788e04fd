// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scheduling model: a graph of macro tasks with costs, and schedules of it. A macro task is a
// unit of work of @main that one worker executes or a group of workers shares. A schedule assigns
// workers to each task and orders the tasks. The graph is independent of the IR, so schedulers can
// be tested on any graph. MacroTasks.cpp builds the graph from the work list, Timeline.cpp predicts
// times, ListSchedule.cpp, ProcessorGroups.cpp and ImproveSchedule.cpp search, and
// ChooseSchedule.cpp compares.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace convoy::schedule {

struct Piece;
struct Work;

/// A task that must be done before, and the bytes that it passes on; 0 if the edge only orders
/// tasks that reuse memory.
struct MacroNeed {
  unsigned task = 0;
  int64_t bytes = 0;
};

/// A side of a branch. The address stands for the condition.
struct BranchSide {
  const void *condition = nullptr;
  bool isThen = true;

  bool operator==(const BranchSide &other) const {
    return condition == other.condition && isThen == other.isThen;
  }
};

/// The sides of branches around a task, outermost first.
using BranchSides = llvm::SmallVector<BranchSide, 1>;

// Maximum number of sets of sides for which the check of a schedule stores what a worker knows. It
// bounds the time of the check.
constexpr int64_t kMostSides = 1024;

/// Returns whether no inference executes both a task on the sides `a` and one on the sides `b`.
bool areExclusive(llvm::ArrayRef<BranchSide> a, llvm::ArrayRef<BranchSide> b);
/// Returns whether a task on the sides `outer` is executed whenever one on the sides `inner` is.
bool isImplied(llvm::ArrayRef<BranchSide> outer, llvm::ArrayRef<BranchSide> inner);

struct MacroTask {
  /// Nanoseconds on one worker.
  double costNs = 0;
  /// How many times workers can take steps of the task, or of one of its rounds, when they share
  /// it.
  int64_t takes = 1;
  /// Maximum number of workers for which splitting is worthwhile.
  unsigned mostWorkers = 1;
  /// Only worker 0 may execute it.
  bool isPinned = false;
  llvm::SmallVector<MacroNeed, 4> needs;
  llvm::SmallVector<unsigned, 4> users;
  /// Number of the data localisation group. One worker executes all tasks of a group consecutively,
  /// so the data between them stays in its cache.
  std::optional<unsigned> local = std::nullopt;
  /// Number of rounds. The workers of the task meet after each round.
  int64_t rounds = 1;
  /// The time of a loop by the number of its workers minus 1; empty for other tasks. The workers
  /// of a loop begin it together.
  std::vector<double> loopNs = {};
  /// The sides on which it is executed. Exclusive tasks take no time from each other.
  BranchSides sides = {};
};

/// Tasks in a valid serial order.
struct MacroGraph {
  std::vector<MacroTask> tasks;
  unsigned workers = 1;
  /// Nanoseconds until a worker sees a post of another worker.
  double meetNs = 0;
  /// Nanoseconds to read a cache line that another worker wrote: one for each additional flag of a
  /// wait, and one per worker of a share.
  double flagNs = 0;

  /// Makes `after` need `before`.
  void addNeed(unsigned before, unsigned after, int64_t bytes);

  /// Returns the time of a task shared by a group that starts together.
  double timeOn(unsigned task, unsigned groupSize) const;

  /// Returns the time of all tasks on one worker, with the longer side of each branch.
  double serialNs() const;

  /// Returns the sum of the values of all tasks, with the greater side of each branch.
  double sumOf(llvm::ArrayRef<double> values) const;

  /// Returns, for each task, the longest chain from its start to the end, with `widths` workers per
  /// task and no waiting for workers.
  std::vector<double> levels(llvm::ArrayRef<unsigned> widths) const;

  /// Returns the length of the critical path with every task on one worker.
  double criticalNs() const;
};

/// Returns the sides of branches on which a work is executed.
BranchSides sidesOf(const Work &work);

/// Builds the graph of a work list with known dependences. Each part of a split task without rounds
/// takes at least `grainNs`, several times the synchronization cost.
MacroGraph buildMacroGraph(llvm::ArrayRef<Work> works, unsigned workers, int64_t grainNs);

/// A task and the workers that execute it, in ascending order.
struct Placement {
  unsigned task = 0;
  llvm::SmallVector<unsigned, 4> group;
};

/// The time in which a worker executes a task.
struct Span {
  unsigned task = 0;
  unsigned worker = 0;
  double begin = 0;
  double end = 0;
};

/// When a worker has finished tasks. Tasks on exclusive sides do not delay each other.
class WorkerLoad {
public:
  struct Entry {
    double endNs = 0;
    unsigned task = 0;
  };

  /// Returns the last task that delays a task on these sides, if any.
  std::optional<Entry> last(llvm::ArrayRef<BranchSide> sides) const;
  double freeAt(llvm::ArrayRef<BranchSide> sides) const {
    std::optional<Entry> entry = last(sides);
    return entry ? entry->endNs : 0;
  }
  void add(unsigned task, double endNs, llvm::ArrayRef<BranchSide> sides);

private:
  std::optional<Entry> always;                      // the last task outside of branches
  std::vector<std::pair<BranchSides, Entry>> since; // tasks in branches after it
};

/// Places tasks in order and predicts when they start and end. With branches, the time is that of
/// the longest side.
class Timeline {
public:
  explicit Timeline(const MacroGraph &graph);

  void place(const Placement &placement);

  /// Returns when a worker has finished all tasks that are executed together with a task.
  double freeAt(unsigned worker, unsigned task) const {
    return workers[worker].freeAt(graph.tasks[task].sides);
  }
  /// Returns when a worker sees all inputs of a task; its needs must be placed.
  double arrival(unsigned task, unsigned worker) const;
  /// Returns the bytes that other workers wrote and that a worker reads for the part [low, high) of
  /// a task.
  double foreignBytes(unsigned task, unsigned worker, double low, double high) const;
  /// Returns when a group finishes a task, given the start time of each worker. Shares balance: a
  /// worker that starts earlier does more.
  double endOf(unsigned task, llvm::ArrayRef<double> starts) const;

  double makespanNs() const;
  double transferBytes() const { return transferred; }
  const std::vector<Span> &spans() const { return allSpans; }
  /// Returns the tasks on the critical path, in order.
  std::vector<unsigned> criticalTasks() const;

private:
  struct Done {
    llvm::SmallVector<unsigned, 4> group;
    double endNs = 0;
    std::optional<unsigned> cause; // task that it waited for
  };

  std::optional<unsigned> causeOf(unsigned task, unsigned worker) const;

  const MacroGraph &graph;
  std::vector<WorkerLoad> workers;
  std::vector<Done> done; // by task
  std::vector<Span> allSpans;
  double transferred = 0;
};

/// Returns the time to fetch bytes that another worker wrote.
double transferNs(const MacroGraph &graph, double bytes);

/// A complete schedule and its predicted time.
struct ScheduleCandidate {
  std::string name;
  std::vector<Placement> order;
  double makespanNs = 0;
  double transferBytes = 0;
};

/// Computes the predictions for the order of a candidate.
void predict(const MacroGraph &graph, ScheduleCandidate &candidate);

/// Returns whether `a` is better than `b`: clearly shorter, or equally long with fewer bytes
/// transferred between workers.
bool isBetter(const ScheduleCandidate &a, const ScheduleCandidate &b);

/// The rules of list schedulers: which ready task is next / on which worker.
enum class ListRule {
  CpDtMisf,  // longest chain, then most users / least transfer
  CpEtfMisf, // longest chain, then most users / earliest start
  EtfCp,     // the pair that starts earliest, then the longest chain
  DtCp,      // the pair with least transfer, then the longest chain
};
constexpr ListRule kListRules[] = {ListRule::CpDtMisf, ListRule::CpEtfMisf, ListRule::EtfCp,
                                   ListRule::DtCp};
llvm::StringRef nameOf(ListRule rule);

/// The schedulers that can be requested: the best of all, the order of the program, or one rule.
enum class Scheduler { Best, ProgramOrder, CpDtMisf, CpEtfMisf, EtfCp, DtCp };
constexpr Scheduler kSchedulers[] = {Scheduler::Best,     Scheduler::ProgramOrder,
                                     Scheduler::CpDtMisf, Scheduler::CpEtfMisf,
                                     Scheduler::EtfCp,    Scheduler::DtCp};
llvm::StringRef nameOf(Scheduler scheduler);
/// Returns the rule of a list scheduler; nullopt for Best and ProgramOrder.
std::optional<ListRule> ruleOf(Scheduler scheduler);

/// The options of a list scheduler.
struct ListOptions {
  ListRule rule = ListRule::CpEtfMisf;
  /// Maximum number of workers per task; rules that compare times may use fewer.
  std::vector<unsigned> widths;
  /// Added to the levels of tasks; may be empty.
  std::vector<double> urgency = {};
};

ScheduleCandidate listSchedule(const MacroGraph &graph, const ListOptions &options);

/// Returns the maximum useful number of workers for each task.
std::vector<unsigned> fullWidths(const MacroGraph &graph);

/// Returns group sizes, chosen separately for each section of the graph between two tasks that all
/// paths pass through: all workers for every task, or groups that run in parallel.
std::vector<unsigned> chooseWidths(const MacroGraph &graph);

/// Tries other group sizes and priorities for tasks on the critical path. Each try costs one
/// placement per task; `placements` is the budget. Returns the best candidate.
ScheduleCandidate improve(const MacroGraph &graph, const ScheduleCandidate &start,
                          const ListOptions &options, int64_t placements);

/// Returns the best of all schedules, or the schedule of the scheduler `only`. If `only` is Best,
/// the result is never predicted to take longer than `plain`.
ScheduleCandidate chooseSchedule(const MacroGraph &graph, const ScheduleCandidate &plain,
                                 Scheduler only);

/// Convert between pieces and a placement order.
ScheduleCandidate candidateOf(llvm::ArrayRef<Piece> pieces);
std::vector<Piece> piecesOf(llvm::ArrayRef<Placement> order);

} // namespace convoy::schedule
