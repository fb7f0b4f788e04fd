// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects the work of @main and the bytes that each work accesses. The memory effects of an op
// tell whether it writes an operand; an unknown kind of access counts as a write.

#include "Bands/KernelTime.h"
#include "Schedule/Schedule.h"
#include "Task/Team.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace convoy::schedule {
namespace {

// Bandwidth of a copy on one core.
constexpr double kCopyBytesPerNs = 8;

int64_t bytesOf(MemRefType type) {
  unsigned bits = type.getElementType().isIndex() ? 64 : type.getElementTypeBitWidth();
  return type.getNumElements() * ((bits + 7) / 8);
}

/// Returns the chunks of a kernel's rows that a call covers, from constant bounds or from a loop
/// over the outer steps. Returns nullopt if the call covers all chunks or they are unknown.
std::optional<std::pair<int64_t, int64_t>> chunksOf(task::CallOp call, const Kernel &kernel) {
  if (!kernel.rows) {
    return std::nullopt;
  }
  const task::RowSteps &steps = *kernel.rows;
  Value begin = call.getBegin();
  Value end = call.getEnd();
  int64_t stride = steps.chunks() * steps.inner;
  APInt low;
  APInt high;
  auto loop = dyn_cast_or_null<scf::ForOp>(call->getParentOp());
  if (loop && begin == loop.getInductionVar()) {
    APInt first;
    APInt last;
    APInt step;
    auto sum = end.getDefiningOp<arith::AddIOp>();
    bool isBand = sum && sum.getLhs() == begin &&
                  matchPattern(sum.getRhs(), m_ConstantInt(&high)) &&
                  matchPattern(loop.getLowerBound(), m_ConstantInt(&first)) &&
                  matchPattern(loop.getUpperBound(), m_ConstantInt(&last)) &&
                  matchPattern(loop.getStep(), m_ConstantInt(&step)) &&
                  step.getSExtValue() == stride && last.getSExtValue() == stride * steps.outer;
    if (!isBand) {
      return std::nullopt;
    }
    low = first;
    high += first;
  } else if (steps.outer != 1 || !matchPattern(begin, m_ConstantInt(&low)) ||
             !matchPattern(end, m_ConstantInt(&high))) {
    return std::nullopt;
  }
  int64_t from = low.getSExtValue();
  int64_t to = high.getSExtValue();
  if (from < 0 || to > stride || from >= to || from % steps.inner != 0 || to % steps.inner != 0) {
    return std::nullopt;
  }
  return std::pair(from / steps.inner, to / steps.inner);
}

/// Returns whether the op may write this memory.
bool mayWrite(Operation *op, Value memory) {
  return !isa<MemoryEffectOpInterface>(op) || hasEffect<MemoryEffects::Write>(op, memory);
}

class AccessFinder {
public:
  AccessFinder(func::FuncOp main, KernelTable &kernels, bool withScratch)
      : main(main), kernels(kernels), withScratch(withScratch) {}

  LogicalResult visit(Operation *op) {
    if (auto call = dyn_cast<task::CallOp>(op)) {
      return visitCall(call, chunksOf(call, kernels.of(call)));
    }
    if (isMemoryEffectFree(op) && op->getNumRegions() == 0) {
      return success(); // a view or a constant
    }
    for (Value operand : op->getOperands()) {
      // Several workers access flags and the words of shares atomically.
      bool isFlag = isa<task::ShareOp, task::RoundsOp, task::WaitOp, task::PostOp, task::TeamWaitOp,
                        task::TeamPostOp, task::TeamRenewOp>(op);
      if (isa<MemRefType>(operand.getType()) && !isFlag &&
          failed(touch(op, operand, mayWrite(op, operand)))) {
        return failure();
      }
    }
    for (Region &region : op->getRegions()) {
      for (Operation &inner : region.getOps()) {
        if (failed(visit(&inner))) {
          return failure();
        }
      }
    }
    return success();
  }

  /// Adds the accesses of a call as if it covered only a band.
  LogicalResult visitBand(task::CallOp call, const Band &band) {
    return visitCall(call, std::pair(band.low, band.high));
  }

  SmallVector<Access> accesses;

private:
  LogicalResult visitCall(task::CallOp call, std::optional<std::pair<int64_t, int64_t>> chunks) {
    const Kernel &kernel = kernels.of(call);
    for (auto [i, operand] : llvm::enumerate(call.getOperands())) {
      if (!isa<MemRefType>(operand.getType()) || (!withScratch && kernel.scratch == i)) {
        continue;
      }
      std::optional<graph::IndexRange> rows =
          chunks ? rowsOf(kernel, i, chunks->first, chunks->second) : std::nullopt;
      if (failed(rows ? touchRows(call, operand, *kernel.memories[i], *rows, kernel.isWritten[i])
                      : touch(call, operand, kernel.isWritten[i]))) {
        return failure();
      }
    }
    return success();
  }

  /// Returns the rows of an argument that chunks of a kernel access, or nullopt if they may be any.
  static std::optional<graph::IndexRange> rowsOf(const Kernel &kernel, unsigned argument,
                                                 int64_t low, int64_t high) {
    const task::RowSteps &steps = *kernel.rows;
    unsigned operands = steps.reads.size();
    bool canCut = steps.rowsBefore(low) != task::RowSteps::kNoCut &&
                  steps.rowsBefore(high) != task::RowSteps::kNoCut;
    if (!canCut || argument > operands || !kernel.memories[argument]) {
      return std::nullopt;
    }
    if (argument == operands) { // the result
      return graph::IndexRange{steps.rowsBefore(low),
                               steps.rowsBefore(high) - steps.rowsBefore(low)};
    }
    return steps.reads[argument] && !kernel.isWritten[argument]
               ? std::optional(steps.readsOf(argument, low, high, kernel.memories[argument]->rows))
               : std::nullopt;
  }

  /// Adds the accesses to some rows of each plane.
  LogicalResult touchRows(Operation *op, Value memory, const task::RowMemory &planes,
                          graph::IndexRange rows, bool isWrite) {
    size_t before = accesses.size();
    if (failed(touch(op, memory, isWrite))) {
      return failure();
    }
    if (accesses.size() == before || rows.count == planes.rows) {
      return success(); // no access, or all rows
    }
    Access whole = accesses.pop_back_val();
    for (int64_t plane = 0; plane < planes.planes && rows.count > 0; ++plane) {
      int64_t begin = whole.begin + (plane * planes.rows + rows.first) * planes.rowBytes;
      accesses.push_back({whole.argument, begin, begin + rows.count * planes.rowBytes, isWrite});
    }
    return success();
  }

  LogicalResult touch(Operation *op, Value memory, bool isWrite) {
    int64_t bytes = bytesOf(cast<MemRefType>(memory.getType()));
    int64_t offset = 0;
    if (auto view = memory.getDefiningOp<memref::ViewOp>()) {
      APInt shift;
      if (!matchPattern(view.getByteShift(), m_ConstantInt(&shift))) {
        return op->emitOpError("accesses memory at an offset that is not constant");
      }
      offset = shift.getSExtValue();
      memory = view.getSource();
    }
    auto argument = dyn_cast<BlockArgument>(memory);
    if (!argument || argument.getOwner() != &main.getBody().front()) {
      return op->emitOpError("accesses memory that is not part of an argument of @main");
    }
    if (bytes > 0) {
      accesses.push_back({argument.getArgNumber(), offset, offset + bytes, isWrite});
    }
    return success();
  }

  func::FuncOp main;
  KernelTable &kernels;
  bool withScratch;
};

double copyNs(ArrayRef<Access> accesses) {
  double bytes = 0;
  for (const Access &access : accesses) {
    bytes += static_cast<double>(access.end - access.begin);
  }
  return bytes / kCopyBytesPerNs;
}

/// Returns the number of iterations of a loop, if it is constant.
std::optional<int64_t> iterationsOf(Operation *loop) {
  if (auto count = loop->getAttrOfType<IntegerAttr>(task::kIterationsAttr)) {
    return count.getInt();
  }
  auto steps = dyn_cast<scf::ForOp>(loop);
  APInt low, high, step;
  bool isKnown = steps && matchPattern(steps.getLowerBound(), m_ConstantInt(&low)) &&
                 matchPattern(steps.getUpperBound(), m_ConstantInt(&high)) &&
                 matchPattern(steps.getStep(), m_ConstantInt(&step)) && step.sgt(0);
  return isKnown ? std::optional(
                       llvm::divideCeilSigned((high - low).getSExtValue(), step.getSExtValue()))
                 : std::nullopt;
}

/// Returns the time of an op that one worker executes alone. A loop whose trip count is unknown
/// counts as one iteration.
double serialNs(Operation *op, KernelTable &kernels) {
  if (auto call = dyn_cast<task::CallOp>(op)) {
    return kernels.of(call).costNs;
  }
  double total = 0;
  for (Region &region : op->getRegions()) {
    for (Operation &inner : region.getOps()) {
      total += serialNs(&inner, kernels);
    }
  }
  return isa<scf::ForOp, scf::WhileOp>(op)
             ? total * static_cast<double>(iterationsOf(op).value_or(1))
             : total;
}

} // namespace

void KernelTable::joinShortRounds(Kernel &kernel) const {
  Work work;
  work.range = kernel.range;
  work.rounds = kernel.rounds;
  work.costNs = kernel.costNs;
  if (workers > 0 && kernel.rounds > 1 && pieceCount(work, workers, grainNs) == 1) {
    kernel.range = kernel.rounds = 1;
  }
}

const Kernel &KernelTable::of(task::CallOp call) {
  auto [it, isNew] = known.try_emplace(call.getKernel().str());
  Kernel &kernel = it->second;
  if (!isNew) {
    return kernel;
  }
  auto function = symbols.lookup<task::KernelOp>(call.getKernel());
  for (unsigned i = 0; i < call.getNumOperands(); ++i) {
    kernel.isWritten.push_back(i < function.getNumMemories() && function.mayWrite(i));
  }
  if (function.isExternal()) {
    return kernel;
  }
  auto measured = times.find(call.getKernel().str());
  kernel.isMeasured = measured != times.end();
  kernel.costNs = kernel.isMeasured ? measured->second : bands::estimateNs(function);
  kernel.range = function.getRange().value_or(1);
  kernel.rounds = function.getRounds().value_or(1);
  joinShortRounds(kernel);
  kernel.joint = function.getJoint().value_or(kernel.joint);
  kernel.rows = task::RowSteps::of(function);
  std::optional<FunctionType> tensors = function.getTensors();
  if (!tensors || tensors->getNumResults() != 1 ||
      (kernel.rows && tensors->getNumInputs() != kernel.rows->reads.size())) {
    kernel.rows.reset();
  }
  for (unsigned i = 0; kernel.rows && i <= tensors->getNumInputs(); ++i) {
    Type tensor = i < tensors->getNumInputs() ? tensors->getInput(i) : tensors->getResult(0);
    auto memory = dyn_cast<MemRefType>(function.getArgumentTypes()[i]);
    kernel.memories.push_back(memory ? task::rowMemoryOf(tensor, bytesOf(memory)) : std::nullopt);
  }
  if (kernel.rounds == 1) {
    kernel.scratch = function.getScratchArgument();
  }
  return kernel;
}

FailureOr<SmallVector<Access>> accessesOf(Operation *op, func::FuncOp function,
                                          KernelTable &kernels, bool withScratch) {
  AccessFinder finder(function, kernels, withScratch);
  if (failed(finder.visit(op))) {
    return failure();
  }
  return std::move(finder.accesses);
}

FailureOr<SmallVector<Access>> bandAccesses(task::CallOp call, func::FuncOp function,
                                            KernelTable &kernels, const Band &band) {
  AccessFinder finder(function, kernels, /*withScratch=*/false);
  if (failed(finder.visitBand(call, band))) {
    return failure();
  }
  return std::move(finder.accesses);
}

namespace {

class WorkCollector {
public:
  WorkCollector(func::FuncOp main, KernelTable &kernels) : main(main), kernels(kernels) {
    Operation *terminator = main.getBody().front().getTerminator();
    if (terminator->getNumOperands() > 0) {
      returned = terminator->getOperand(0).getDefiningOp(); // the status, loaded at the end
    }
  }

  LogicalResult collect(mlir::Block &block) {
    for (Operation &op : block.without_terminator()) {
      auto branch = dyn_cast<scf::IfOp>(op);
      if (&op == returned || (isMemoryEffectFree(&op) && op.getNumRegions() == 0) ||
          isForGuards(&op)) {
        continue;
      }
      if (failed(branch && canSpread(branch, main, kernels) ? collectSides(branch) : add(op))) {
        return failure();
      }
    }
    return success();
  }

  std::vector<Work> works;

private:
  /// Creates a collector for the body of a loop.
  WorkCollector(const WorkCollector &around, Operation *loop)
      : main(around.main), kernels(around.kernels), loop(loop) {}

  LogicalResult collectSides(scf::IfOp branch) {
    Work condition; // only its reads
    if (failed(addReads(conditionLoads(branch.getCondition()).value(), condition))) {
      return failure();
    }
    SmallVector<Access, 1> reads(condition.accesses.begin(), condition.accesses.end());
    for (Region *side : branch.getRegions()) {
      if (!side->empty()) {
        guards.push_back({branch.getCondition(), side == &branch.getThenRegion(), reads});
        LogicalResult result = collect(side->front());
        guards.pop_back();
        if (failed(result)) {
          return failure();
        }
      }
    }
    return success();
  }

  /// Returns whether a load is only used by conditions that each worker evaluates.
  bool isForGuards(Operation *op) {
    return isa<memref::LoadOp>(op) && isForGuards(op->getResult(0), *op->getBlock());
  }

  bool isForGuards(Value value, mlir::Block &block) {
    return !value.use_empty() && llvm::all_of(value.getUsers(), [&](Operation *user) {
      Operation *around = block.findAncestorOpInBlock(*user);
      if (isa<scf::IfOp, scf::ForOp, scf::WhileOp>(around)) {
        return canSpread(around, main, kernels);
      }
      if (isa<scf::YieldOp>(around)) { // only the body of a loop yields values
        return loop != nullptr;
      }
      return isMemoryEffectFree(around) && around->getNumRegions() == 0 &&
             llvm::all_of(around->getResults(),
                          [&](Value result) { return isForGuards(result, block); });
    });
  }

  /// Adds the accesses of loads that each worker executes.
  LogicalResult addReads(ArrayRef<Operation *> loads, Work &work) {
    for (Operation *load : loads) {
      FailureOr<SmallVector<Access>> reads = accessesOf(load, main, kernels, /*withScratch=*/false);
      if (failed(reads)) {
        return failure();
      }
      llvm::append_range(work.accesses, *reads);
    }
    return success();
  }

  /// Collects the work of a loop that several workers can execute together.
  LogicalResult addBody(Operation *op, Work &work) {
    LoopLoads loads = loadsOf(op);
    WorkCollector inner(*this, op);
    if (failed(addReads(loads.start, work)) || failed(inner.collect(bodyOf(op)))) {
      return failure();
    }
    auto isOverwritten = [&](Operation *load) { return mayOverwrite(op, load, main, kernels); };
    work.loop = std::make_shared<LoopBody>();
    work.loop->works = std::move(inner.works);
    findDependences(work.loop->works);
    work.loop->overwritesStart = llvm::any_of(loads.start, isOverwritten);
    work.loop->overwritesNext = llvm::any_of(loads.next, isOverwritten);
    work.loop->iterations = static_cast<double>(iterationsOf(op).value_or(1));
    return success();
  }

  LogicalResult add(Operation &op) {
    Work work;
    work.op = &op;
    work.guards = guards;
    FailureOr<SmallVector<Access>> accesses = accessesOf(&op, main, kernels, /*withScratch=*/false);
    if (failed(accesses)) {
      return failure();
    }
    work.accesses = std::move(*accesses);
    work.costNs = isa<memref::CopyOp>(op) ? copyNs(work.accesses) : serialNs(&op, kernels);
    bool isLoop = isa<scf::ForOp, scf::WhileOp>(op) && canSpread(&op, main, kernels);
    if (isLoop && failed(addBody(&op, work))) {
      return failure();
    }
    // Works of a loop use no values of each other.
    work.isPinned = !isa<task::CallOp, memref::CopyOp>(op) && !isLoop && !loop;
    auto call = dyn_cast<task::CallOp>(op);
    bool isWhole = loop && call && kernels.of(call).rounds > 1; // the flags of rounds count once
    if (call && !isWhole) {
      work.range = kernels.of(call).range;
      work.joint = kernels.of(call).joint;
      work.rounds = kernels.of(call).rounds;
    }
    for (const Guard &guard : guards) {
      llvm::append_range(work.accesses, guard.reads);
    }
    works.push_back(std::move(work));
    return success();
  }

  func::FuncOp main;
  KernelTable &kernels;
  Operation *returned = nullptr;
  Operation *loop = nullptr;    // whose body is collected; null for @main
  SmallVector<Guard, 1> guards; // around the current block
};

} // namespace

FailureOr<std::vector<Work>> collectWork(func::FuncOp main, KernelTable &kernels) {
  WorkCollector collector(main, kernels);
  if (failed(collector.collect(main.getBody().front()))) {
    return failure();
  }
  return std::move(collector.works);
}

} // namespace convoy::schedule
