// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work as the schedulers see it: a graph of macro tasks with costs, and what a
// schedule of it would take. A task may be given to one worker or be cut among a
// group of them; a schedule says which, and in what order. The graph knows nothing
// of IR, so schedulers can be tried on any graph (MacroTasks.cpp makes it from the
// work list, Timeline.cpp predicts, ListSchedule.cpp, ProcessorGroups.cpp and
// ImproveSchedule.cpp search, ChooseSchedule.cpp compares).

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace convoy::tasks {

struct Piece;
struct Work;

/// A task that must be done before, and the bytes that pass from it: none when only
/// the order matters, because bytes are used again.
struct MacroNeed {
  unsigned task = 0;
  int64_t bytes = 0;
};

struct MacroTask {
  /// On one worker.
  double costNs = 0;
  /// How often workers can take some of it when they share it.
  int64_t takes = 1;
  /// Workers among which it is worth cutting.
  unsigned mostWorkers = 1;
  /// Only worker 0 may do it.
  bool isPinned = false;
  llvm::SmallVector<MacroNeed, 4> needs;
  llvm::SmallVector<unsigned, 4> users;
  /// Tasks with one number are for one worker, one after the other: what they pass on is
  /// still in its cache (a data localisation group).
  std::optional<unsigned> local = std::nullopt;
};

/// Tasks in an order in which they could be done one by one.
struct MacroGraph {
  std::vector<MacroTask> tasks;
  unsigned workers = 1;
  /// Until a worker sees what another one posted.
  double meetNs = 0;
  /// For looking at a line that another worker wrote: the flag of each further one that
  /// is waited for, what each has taken of a share.
  double flagNs = 0;

  /// Makes `after` need `before`.
  void addNeed(unsigned before, unsigned after, int64_t bytes);

  /// Time of a task that a group shares from one moment on.
  double timeOn(unsigned task, unsigned groupSize) const;

  /// All tasks one after the other: Seq.
  double serialNs() const;

  /// From the start of each task to the end of all, when each has as many workers as
  /// `widths` says and nobody ever waits for a worker.
  std::vector<double> levels(llvm::ArrayRef<unsigned> widths) const;

  /// The longest chain with every task on one worker: CP.
  double criticalNs() const;
};

/// The graph of a work list whose dependences are known. A part of a task takes no
/// less than `grainNs`, which is several times what meeting costs.
MacroGraph buildMacroGraph(llvm::ArrayRef<Work> works, unsigned workers, int64_t grainNs);

/// A task and who does it, ascending.
struct Placement {
  unsigned task = 0;
  llvm::SmallVector<unsigned, 4> group;
};

/// When a worker is at a task: it waits until `begin`.
struct Span {
  unsigned task = 0;
  unsigned worker = 0;
  double begin = 0;
  double end = 0;
};

/// Places tasks one after the other and predicts when they begin and end.
class Timeline {
public:
  explicit Timeline(const MacroGraph &graph);

  void place(const Placement &placement);

  /// When a worker has done all that it was given.
  double freeAt(unsigned worker) const { return workers[worker].freeNs; }
  /// When a worker sees what a task needs, which is all placed.
  double arrival(unsigned task, unsigned worker) const;
  /// Bytes that others wrote of what a worker reads for a task, if it does the part
  /// between two fractions of it.
  double foreignBytes(unsigned task, unsigned worker, double low, double high) const;
  /// When a group is through a task, given when each can start. Shares level out:
  /// who comes early does more.
  double endOf(unsigned task, llvm::ArrayRef<double> starts) const;

  double makespanNs() const;
  double transferBytes() const { return transferred; }
  const std::vector<Span> &spans() const { return allSpans; }
  /// The tasks that kept the end waiting, each for the next, in order.
  std::vector<unsigned> criticalTasks() const;

private:
  struct Worker {
    double freeNs = 0;
    std::optional<unsigned> last; // task
  };
  struct Done {
    llvm::SmallVector<unsigned, 4> group;
    double endNs = 0;
    std::optional<unsigned> cause; // task that it waited for
  };

  std::optional<unsigned> causeOf(unsigned task, unsigned worker) const;

  const MacroGraph &graph;
  std::vector<Worker> workers;
  std::vector<Done> done; // by task
  std::vector<Span> allSpans;
  double transferred = 0;
};

/// Time for bytes that another worker wrote.
double transferNs(const MacroGraph &graph, double bytes);

/// A whole schedule and what is predicted of it.
struct Candidate {
  std::string name;
  std::vector<Placement> order;
  double makespanNs = 0;
  double transferBytes = 0;
};

/// Fills in what is predicted of the order.
void predict(const MacroGraph &graph, Candidate &candidate);

/// Whether `a` is to be taken rather than `b`: clearly shorter, or as long with fewer
/// bytes that change workers.
bool isBetter(const Candidate &a, const Candidate &b);

/// List schedulers. Which of the tasks that are ready is next / on which worker:
enum class ListRule {
  CpDtMisf,  // on the longest chain, then most users / least transfer
  CpEtfMisf, // on the longest chain, then most users / earliest start
  EtfCp,     // the pair that starts earliest, then the longest chain
  DtCp,      // the pair with least transfer, then the longest chain
};
constexpr ListRule kListRules[] = {ListRule::CpDtMisf, ListRule::CpEtfMisf, ListRule::EtfCp,
                                   ListRule::DtCp};
llvm::StringRef nameOf(ListRule rule);

/// What a list scheduler is to respect.
struct ListOptions {
  ListRule rule = ListRule::CpEtfMisf;
  /// Workers for each task, at most; a rule that looks at times may take fewer.
  std::vector<unsigned> widths;
  /// Added to the levels of tasks, or empty.
  std::vector<double> urgency = {};
};

Candidate listSchedule(const MacroGraph &graph, const ListOptions &options);

/// As many workers for each task as it is worth.
std::vector<unsigned> fullWidths(const MacroGraph &graph);

/// Group sizes, chosen apart for each stretch of the graph between two tasks that
/// everything passes through: all workers for every task, or groups side by side.
std::vector<unsigned> chooseWidths(const MacroGraph &graph);

/// Tries other group sizes and orders for tasks that keep the end waiting, as long as
/// `placements` lasts: each try costs one for each task. Returns the best it saw.
Candidate improve(const MacroGraph &graph, const Candidate &start, const ListOptions &options,
                  int64_t placements);

/// The best schedule of all, or of the one scheduler that is named; never one that is
/// predicted to take longer than `plain`.
Candidate chooseSchedule(const MacroGraph &graph, const Candidate &plain, llvm::StringRef only);

/// The names that chooseSchedule() knows.
std::vector<std::string> schedulerNames();
constexpr llvm::StringLiteral kBestScheduler = "best";
constexpr llvm::StringLiteral kPlainScheduler = "program-order";

/// Pieces as a placement order and back.
Candidate candidateOf(llvm::ArrayRef<Piece> pieces);
std::vector<Piece> piecesOf(llvm::ArrayRef<Placement> order);

} // namespace convoy::tasks
