// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The input and output of scheduling, and its steps. Each step can be replaced independently:
// WorkList.cpp collects work with its accesses and costs, Dependences.cpp finds dependences, the
// schedulers of MacroTasks.h assign pieces to workers (AssignPieces.cpp is the baseline),
// InsertWaits.cpp adds waits, and RegionWriter.cpp writes the functions of the workers.

#pragma once

#include "Task/RowSteps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SmallVector.h"
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace convoy::schedule {

/// Bytes of an argument of @main that an op reads or writes.
struct Access {
  unsigned argument = 0;
  int64_t begin = 0;
  int64_t end = 0;
  bool isWrite = false;
};

/// A branch that guards some work, and the side of the branch.
struct Guard {
  mlir::Value condition;
  bool isThen = true;
  /// The bytes from which a worker computes the condition.
  llvm::SmallVector<Access, 1> reads = {};

  bool operator==(const Guard &other) const {
    return condition == other.condition && isThen == other.isThen;
  }
};

/// Consecutive rows of a run that one worker computes together with rows of the adjacent runs:
/// chunks [low, high) of the kernel's RowSteps. All bands of a group with the same index form a
/// data localisation group.
struct Band {
  unsigned group = 0;
  unsigned index = 0;
  int64_t low = 0;
  int64_t high = 0;
};

struct LoopBody;

/// An operation of @main that is scheduled: a run of a kernel, a copy, or a loop around both.
struct Work {
  mlir::Operation *op = nullptr;
  /// Number of steps into which it can be split.
  int64_t range = 1;
  /// Number of consecutive steps that should stay on one worker.
  int64_t joint = 1;
  /// Number of equal rounds of the range. Workers meet after each round.
  int64_t rounds = 1;
  /// Time of the whole range on one core.
  double costNs = 0;
  /// Only worker 0 may execute it, because SSA values pass between it and other pinned work.
  bool isPinned = false;
  /// Branches around it, outermost first. Every worker with a part of the work evaluates the
  /// conditions, so the loads of the conditions count as reads.
  llvm::SmallVector<Guard, 1> guards;
  /// The band of the op, if the work is only a part of the op.
  std::optional<Band> band;
  llvm::SmallVector<Access> accesses;
  /// Positions of the works that must be done before, ascending. A work on another side of a branch
  /// is not among them, because no inference executes both.
  llvm::SmallVector<unsigned> needs;
  /// The needs that may not be executed, and whose conditions a worker can still evaluate when it
  /// starts this work. It then waits only if they are executed.
  llvm::SmallVector<unsigned> optional;
  /// The body of a loop that several workers may execute together; null for other work.
  std::shared_ptr<LoopBody> loop = nullptr;
};

/// One iteration of a loop that several workers execute together. Each worker evaluates the
/// condition of the loop itself. The workers meet after each iteration.
struct LoopBody {
  /// The work of one iteration, with the dependences within it.
  std::vector<Work> works;
  /// Whether the loop may overwrite the bytes from which a worker loads its bounds and its first
  /// condition. The workers then meet after these loads.
  bool overwritesStart = false;
  /// Whether an iteration may overwrite the bytes from which a worker loads the condition of the
  /// next one. The workers then meet after these loads, too.
  bool overwritesNext = false;
  /// Estimated number of iterations.
  double iterations = 1;
  /// Predicted time of the loop, by the number of workers minus 1; loopNs() fills it.
  std::vector<double> times;
};

/// A part of some work that is assigned to a worker. In a share, the worker starts with this part.
struct Piece {
  unsigned work = 0;
  unsigned worker = 0;
  unsigned part = 0;
  unsigned parts = 1;
};

/// Waits until `worker` has posted at least `count`.
struct Wait {
  unsigned worker = 0;
  int32_t count = 0;
  /// The worker waits only on these sides of branches, outermost first.
  llvm::SmallVector<Guard, 1> guards = {};
};

/// A piece in the list of its worker, after its waits.
struct Step {
  Piece piece;
  /// The waits before the worker evaluates the conditions of the work.
  llvm::SmallVector<Wait, 2> waits;
  /// The waits that are only necessary if the work is executed.
  llvm::SmallVector<Wait, 2> innerWaits;
  /// Whether the worker posts its count after this step, because another worker waits for it.
  bool isPosted = false;
  /// Whether the worker posts its count even if the work is not executed.
  bool isAlwaysPosted = false;
};

struct Schedule {
  /// One list per worker.
  std::vector<std::vector<Step>> workers;
  /// The waits of worker 0 at the end of its list, for all other workers. Empty for the body of a
  /// loop, at the end of which all workers meet.
  std::vector<Wait> last;
};

/// Returns the count that a worker posts after step `index` of its list. Worker 0 posts 1 before
/// its first step, which makes everything before the region visible.
inline int32_t countAfter(unsigned worker, size_t index) {
  return static_cast<int32_t>(index) + (worker == 0 ? 2 : 1);
}

/// The properties of a kernel that scheduling needs.
struct Kernel {
  int64_t range = 1;
  int64_t joint = 1;
  int64_t rounds = 1;
  double costNs = 0;
  bool isMeasured = false;
  /// By argument: whether the kernel may write through it.
  llvm::SmallVector<bool> isWritten;
  /// The argument that is private scratch memory, if any. Workers share the scratch memory of a
  /// kernel with rounds, so it is memory like that of tensors.
  std::optional<unsigned> scratch;
  /// How the range covers rows, if it does, and by argument its rows in memory.
  std::optional<task::RowSteps> rows;
  llvm::SmallVector<std::optional<task::RowMemory>> memories;
};

/// The kernels of a module, each analyzed once.
class KernelTable {
public:
  /// `times` holds measured nanoseconds by name; all other kernels are estimated. A kernel whose
  /// rounds are too short for two of `workers` in parts of `grainNs` is one step with private
  /// scratch memory. With 0 workers, every kernel keeps its rounds.
  explicit KernelTable(mlir::ModuleOp module, std::map<std::string, double> times = {},
                       unsigned workers = 0, int64_t grainNs = 0)
      : symbols(module), times(std::move(times)), workers(workers),
        grainNs(static_cast<double>(grainNs)) {}

  /// Returns the called kernel.
  const Kernel &of(task::CallOp call);

  /// Returns whether any called kernel has a measured time.
  bool hasMeasured() const {
    return llvm::any_of(known, [](const auto &entry) { return entry.second.isMeasured; });
  }

private:
  mlir::SymbolTable symbols;
  /// Makes a kernel whose rounds are too short for several workers one step.
  void joinShortRounds(Kernel &kernel) const;

  std::map<std::string, double> times;
  unsigned workers;
  double grainNs;
  std::map<std::string, Kernel, std::less<>> known;
};

/// Returns the bytes that an op of @main or of a worker accesses, including its regions, with or
/// without the scratch memory of kernels. Fails with an error at the op if the address of a memory
/// is not known.
mlir::FailureOr<llvm::SmallVector<Access>> accessesOf(mlir::Operation *op,
                                                      mlir::func::FuncOp function,
                                                      KernelTable &kernels, bool withScratch);

/// Returns the accesses of chunks [low, high) of a call of a kernel with rows.
mlir::FailureOr<llvm::SmallVector<Access>> bandAccesses(task::CallOp call,
                                                        mlir::func::FuncOp function,
                                                        KernelTable &kernels, const Band &band);

/// Returns whether several workers may execute the work inside a branch or a loop: only kernels and
/// copies whose operands any worker can compute, and a condition that any worker can evaluate.
bool canSpread(mlir::Operation *control, mlir::func::FuncOp main, KernelTable &kernels);

/// Returns whether an op may write bytes that a load reads; true if this is unknown.
bool mayOverwrite(mlir::Operation *op, mlir::Operation *load, mlir::func::FuncOp main,
                  KernelTable &kernels);

/// The block that a loop repeats.
mlir::Block &bodyOf(mlir::Operation *loop);

/// The loads from which a worker computes the bounds and the first condition of a loop, and the
/// loads in its body from which the worker computes the condition of the next iteration.
struct LoopLoads {
  llvm::SmallVector<mlir::Operation *> start;
  llvm::SmallVector<mlir::Operation *> next;
};

/// Returns the loads of a loop that `canSpread` accepts.
LoopLoads loadsOf(mlir::Operation *loop);

/// Returns the loads from which a condition is computed with pure ops, or nullopt if it depends on
/// other ops.
std::optional<llvm::SmallVector<mlir::Operation *>> conditionLoads(mlir::Value condition);

/// Returns all work of @main except the load of the returned status, in program order, without
/// dependences. A branch that can be spread is replaced by the work inside.
mlir::FailureOr<std::vector<Work>> collectWork(mlir::func::FuncOp main, KernelTable &kernels);

/// Returns the guards of `work` that are not guards of `given`.
llvm::SmallVector<Guard, 1> guardsBeyond(const Work &work, const Work &given);

/// Fills `needs` and `optional`: two works that access the same bytes keep their order if one of
/// them writes and an inference may execute both. This includes memory that tensors reuse. Pinned
/// works keep their order, because SSA values pass between them. A work that evaluates the
/// condition of an optional need also reads the bytes of the condition.
void findDependences(std::vector<Work> &works);

/// Returns the work with runs split into the bands of `bands`, in the order of bands, with
/// dependences: a band depends on the bands of other runs that write its inputs. A group stays
/// unsplit if memory is reused too early for bands. Returns nullopt if no group remains.
std::optional<std::vector<Work>> cutBands(llvm::ArrayRef<Work> works, mlir::func::FuncOp main,
                                          KernelTable &kernels);

/// A work that must be done before another work may start, if it is executed.
struct Await {
  unsigned work = 0;
  /// Whether the worker evaluates the conditions of the awaited work.
  bool isOptional = false;
};

/// Returns for each work what its earliest executable condition awaits: its needs without those
/// that other awaited works imply. Works from which the guards load are always awaited.
std::vector<llvm::SmallVector<Await>> startConditionsOf(llvm::ArrayRef<Work> works);

/// Narrows a call over the whole range of a kernel to a band; adds a loop over the outer steps if
/// there are several.
void narrowToBand(task::CallOp call, const Band &band, const task::RowSteps &steps);

/// Reorders the groups of @main band by band, for one thread.
void orderByBands(llvm::ArrayRef<Work> works, KernelTable &kernels);

/// Returns the minimum number of steps that a worker of a share takes at once.
int64_t leastSteps(const Work &work);

/// Returns the number of parts into which a work should be split: each at least `grainNs`, and at
/// most one per worker and per step.
unsigned pieceCount(const Work &work, unsigned workers, double grainNs);

/// Splits work that takes at least twice `grainNs` among the workers, in parts of at least
/// `grainNs`, and assigns all other work unsplit to the worker that is free first, in program
/// order. Workers of a share may end up doing more or less than their part.
std::vector<Piece> assignPieces(llvm::ArrayRef<Work> works, unsigned workers, int64_t grainNs);

/// Returns the predicted time of a loop on a number of workers, by the schedule in program order.
double loopNs(LoopBody &body, unsigned workers, double grainNs);

/// Returns the lists of all workers with the waits that dependences require, without redundant
/// waits. The workers begin the body of a loop together, and meet at its end.
Schedule insertWaits(llvm::ArrayRef<Work> works, llvm::ArrayRef<Piece> pieces, unsigned workers,
                     bool isBody = false);

/// Checks the worker functions against the clauses of Contract.cpp. Stores what a worker knows for
/// at most `mostSides` sets of sides of branches.
mlir::LogicalResult checkWorkers(llvm::ArrayRef<mlir::func::FuncOp> workers, KernelTable &kernels,
                                 int64_t mostSides);

} // namespace convoy::schedule
