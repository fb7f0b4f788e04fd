// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a scheduler sees of @main, and what it gives. The steps from one to the
// other are apart, so that each can be replaced: work is collected with what it
// touches and what it costs (WorkList.cpp), dependences are found
// (Dependences.cpp), pieces are assigned to workers (MacroTasks.h; AssignPieces.cpp is
// the plain way), waits follow from both (InsertWaits.cpp).

#pragma once

#include "Tasks/RowSteps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SmallVector.h"
#include <map>
#include <optional>
#include <vector>

namespace convoy::tasks {

/// Bytes of an argument of @main that something reads, or writes.
struct Access {
  unsigned argument = 0;
  int64_t begin = 0;
  int64_t end = 0;
  bool isWrite = false;
};

/// A branch that decides whether some work is done, and the side that it is on.
struct Guard {
  mlir::Value condition;
  bool isThen = true;
};

/// Rows of a run that are done together with rows of the runs before and after it, by one
/// worker: chunks [low, high) of the kernel's RowSteps. All bands of a group with one
/// index are a data localisation group.
struct Band {
  unsigned group = 0;
  unsigned index = 0;
  int64_t low = 0;
  int64_t high = 0;
};

/// Something that @main does: a run of a kernel, a copy, a loop around both.
struct Work {
  mlir::Operation *op = nullptr;
  /// Steps between which it may be cut.
  int64_t range = 1;
  /// Steps in a row that are better done by one worker.
  int64_t joint = 1;
  /// Time of the whole range on one core.
  double costNs = 0;
  /// Only worker 0 may do it: values pass between it and others of its kind.
  bool isPinned = false;
  /// Branches around it, outermost first. Whoever has a part in the work looks at the
  /// conditions itself, so what they are made of counts as read.
  llvm::SmallVector<Guard, 1> guards;
  /// The part of the op that this is, if it is not all of it.
  std::optional<Band> band;
  llvm::SmallVector<Access> accesses;
  /// Work that must be done before, as positions in the list, ascending.
  llvm::SmallVector<unsigned> needs;
};

/// A worker's part of some work: the one that it begins with.
struct Piece {
  unsigned work = 0;
  unsigned worker = 0;
  unsigned part = 0;
  unsigned parts = 1;
};

/// Until `worker` has posted `count`.
struct Wait {
  unsigned worker = 0;
  int32_t count = 0;
};

/// A piece in the list of its worker, after what it waits for.
struct Step {
  Piece piece;
  llvm::SmallVector<Wait, 2> waits;
  /// Whether the worker's count after this step is posted: someone waits for it.
  bool isPosted = false;
};

struct Schedule {
  /// One list per worker.
  std::vector<std::vector<Step>> workers;
  /// What worker 0 waits for when its list is done: the others.
  std::vector<Wait> last;
};

/// The count that a worker posts after step `index` of its list. Worker 0 posts 1
/// before its first step, which makes what was done before the region visible.
inline int32_t countAfter(unsigned worker, size_t index) {
  return static_cast<int32_t>(index) + (worker == 0 ? 2 : 1);
}

/// Time of a lowered kernel over its whole range, roughly: what its loops execute,
/// or the memory they touch if that takes longer.
double estimateNs(mlir::func::FuncOp kernel);
/// The same with all memory in the first cache.
double estimateComputeNs(mlir::func::FuncOp kernel);

/// What a schedule needs to know of a kernel.
struct Kernel {
  int64_t range = 1;
  int64_t joint = 1;
  double costNs = 0;
  bool isMeasured = false;
  /// By argument: whether anything may be written through it.
  llvm::SmallVector<bool> isWritten;
  /// The argument that is scratch memory, if there is one.
  std::optional<unsigned> scratch;
  /// How the range runs over rows, if it does, and by argument what rows are in memory.
  std::optional<task::RowSteps> rows;
  llvm::SmallVector<std::optional<task::RowMemory>> memories;
};

/// The kernels of a module, each looked at once.
class KernelTable {
public:
  /// `times`: measured nanoseconds by name; other kernels are estimated.
  explicit KernelTable(mlir::ModuleOp module, std::map<std::string, double> times = {})
      : symbols(module), times(std::move(times)) {}

  /// The kernel that is called.
  const Kernel &of(mlir::func::CallOp call);

  /// Whether any kernel that was called has a measured time.
  bool hasMeasured() const {
    return llvm::any_of(known, [](const auto &entry) { return entry.second.isMeasured; });
  }

private:
  mlir::SymbolTable symbols;
  std::map<std::string, double> times;
  std::map<std::string, Kernel, std::less<>> known;
};

/// The bytes that an op of @main or of a worker touches, inside its regions too,
/// with or without kernels' scratch memory. Fails, with an error at the op, when a
/// memory has no known place.
mlir::FailureOr<llvm::SmallVector<Access>> accessesOf(mlir::Operation *op,
                                                      mlir::func::FuncOp function,
                                                      KernelTable &kernels, bool withScratch);

/// The same for chunks [low, high) of a call of a kernel with rows.
mlir::FailureOr<llvm::SmallVector<Access>> bandAccesses(mlir::func::CallOp call,
                                                        mlir::func::FuncOp function,
                                                        KernelTable &kernels, const Band &band);

/// Whether work inside a branch may be given to any worker, under the branch's
/// condition: kernels and copies, whose bytes do not decide the branch again.
bool canSpread(mlir::scf::IfOp branch, mlir::func::FuncOp main, KernelTable &kernels);

/// The loads that a condition is made of, with operations without effects; nothing
/// when it is made of something else.
std::optional<llvm::SmallVector<mlir::Operation *>> conditionLoads(mlir::Value condition);

/// Everything @main does but load what it returns, in program order, without
/// dependences. Branches that can be spread count as what is inside.
mlir::FailureOr<std::vector<Work>> collectWork(mlir::func::FuncOp main, KernelTable &kernels);

/// Fills `needs`: work that touches the same bytes keeps its order when one of the
/// two writes. Bytes that tensors share in turn count like any others. Pinned work keeps
/// its order: values pass from one to the next.
void findDependences(std::vector<Work> &works);

/// Work with runs cut into the bands that `task.bands` asks for, in the order of bands, with
/// dependences: a band needs those bands of other runs that write what it reads. Groups
/// that cannot be done band by band, since bytes are used again too early, stay whole.
/// Nothing when no group is left.
std::optional<std::vector<Work>> cutBands(llvm::ArrayRef<Work> works, mlir::func::FuncOp main,
                                          KernelTable &kernels);

/// Makes a call of a kernel over its whole range one over a band: a loop over the outer
/// steps when there are several.
void narrowToBand(mlir::func::CallOp call, const Band &band, const task::RowSteps &steps);

/// Does groups band by band in @main itself, for one thread.
void orderByBands(llvm::ArrayRef<Work> works, KernelTable &kernels);

/// Steps that a worker takes at once when it shares some work.
int64_t leastSteps(const Work &work);

/// Parts that a work is worth being cut into: no smaller than `grainNs`, and no more
/// than workers or steps.
unsigned pieceCount(const Work &work, unsigned workers, double grainNs);

/// Cuts work that takes at least twice `grainNs` among the workers, in parts of no
/// less than that, and gives the rest whole to whoever is free first. In program
/// order. Who has a part of some work may end up doing more or less of it.
std::vector<Piece> assignPieces(llvm::ArrayRef<Work> works, unsigned workers, int64_t grainNs);

/// The lists of all workers with the waits that dependences ask for, less those
/// that others imply.
Schedule insertWaits(llvm::ArrayRef<Work> works, llvm::ArrayRef<Piece> pieces, unsigned workers);

/// Checks workers as written: Contract.cpp says what must hold.
mlir::LogicalResult checkWorkers(llvm::ArrayRef<mlir::func::FuncOp> workers, KernelTable &kernels);

} // namespace convoy::tasks
