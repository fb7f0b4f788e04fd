// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the branches and loops of @main whose work several workers can execute. Each worker
// evaluates the condition itself: of a branch before each piece, of a loop before each iteration.
// The condition must therefore stay in memory until all workers have read it, and pieces may only
// communicate through memory.

#include "Schedule/Schedule.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace convoy::schedule {
namespace {

bool isPlainValue(Operation *op) { return isMemoryEffectFree(op) && op->getNumRegions() == 0; }

/// Collects the loads from which a value is computed with pure ops.
bool collectLoads(Value value, SmallVectorImpl<Operation *> &loads) {
  Operation *op = value.getDefiningOp();
  if (!op) {
    Operation *owner = cast<BlockArgument>(value).getOwner()->getParentOp();
    return isa<func::FuncOp, scf::ForOp, scf::WhileOp>(owner);
  }
  if (isa<memref::LoadOp>(op)) {
    loads.push_back(op);
  } else if (!isPlainValue(op)) {
    return false;
  }
  return llvm::all_of(op->getOperands(),
                      [&](Value operand) { return collectLoads(operand, loads); });
}

bool collectAll(ValueRange values, SmallVectorImpl<Operation *> &loads) {
  return llvm::all_of(values, [&](Value value) { return collectLoads(value, loads); });
}

/// Returns whether any worker can execute an op: its operands and the values that its regions use
/// are addresses, constants and counters of loops, not loaded values.
bool isSelfContained(Operation *op) {
  llvm::SetVector<Value> used(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), used);
  SmallVector<Operation *> loads;
  return collectAll(used.getArrayRef(), loads) && loads.empty();
}

/// Returns whether a value of a block only decides where control goes.
bool isForControl(Value value, mlir::Block &block) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    Operation *around = block.findAncestorOpInBlock(*user);
    return isa<scf::IfOp, scf::ForOp, scf::WhileOp, scf::YieldOp>(around) ||
           (isPlainValue(around) && llvm::all_of(around->getResults(), [&](Value result) {
              return isForControl(result, block);
            }));
  });
}

/// Returns whether several workers can execute all ops of a block.
bool canSpread(mlir::Block &block, func::FuncOp main, KernelTable &kernels) {
  return llvm::all_of(block.without_terminator(), [&](Operation &op) {
    if (isPlainValue(&op)) {
      return true;
    }
    if (isa<memref::LoadOp>(op)) {
      return isForControl(op.getResult(0), block);
    }
    if (isa<scf::IfOp, scf::ForOp, scf::WhileOp>(op) && canSpread(&op, main, kernels)) {
      return true;
    }
    // One worker executes a loop that moves elements.
    bool isWork = isa<task::CallOp, memref::CopyOp, memref::StoreOp, scf::ForOp>(op);
    return isWork && op.getNumResults() == 0 && isSelfContained(&op);
  });
}

/// Returns whether the loads read what they read in program order if a worker repeats them
/// immediately before `op` of the same block.
bool isKeptUntil(ArrayRef<Operation *> loads, Operation *op, func::FuncOp main,
                 KernelTable &kernels) {
  return llvm::all_of(loads, [&](Operation *load) {
    if (load->getBlock() != op->getBlock()) {
      return false;
    }
    for (Operation *between = load->getNextNode(); between != op;
         between = between->getNextNode()) {
      if (!isPlainValue(between) && mayOverwrite(between, load, main, kernels)) {
        return false;
      }
    }
    return true;
  });
}

bool canSpreadBranch(scf::IfOp branch, func::FuncOp main, KernelTable &kernels) {
  std::optional<SmallVector<Operation *>> loads = conditionLoads(branch.getCondition());
  if (branch.getNumResults() > 0 || !loads || loads->empty() ||
      !isKeptUntil(*loads, branch, main, kernels)) {
    return false;
  }
  bool isKept = llvm::none_of(
      *loads, [&](Operation *load) { return mayOverwrite(branch, load, main, kernels); });
  return isKept && llvm::all_of(branch.getRegions(), [&](Region *side) {
           return side->empty() || canSpread(side->front(), main, kernels);
         });
}

/// Collects the values from which a worker computes whether the loop runs an iteration.
bool collectLoopLoads(Operation *loop, LoopLoads &loads) {
  auto repeat = dyn_cast<scf::WhileOp>(loop);
  llvm::SetVector<Value> used(loop->operand_begin(), loop->operand_end());
  if (repeat) {
    getUsedValuesDefinedAbove(repeat.getBefore(), used);
    bool isPure = llvm::all_of(repeat.getBeforeBody()->without_terminator(),
                               [](Operation &op) { return isPlainValue(&op); });
    if (!isPure) {
      return false;
    }
  }
  return collectAll(used.getArrayRef(), loads.start) &&
         collectAll(bodyOf(loop).getTerminator()->getOperands(), loads.next);
}

/// A loop without kernels is not worth the meetings of the workers.
bool canSpreadLoop(Operation *loop, func::FuncOp main, KernelTable &kernels) {
  bool isUsed = isa<scf::ForOp>(loop)
                    ? loop->getNumResults() > 0
                    : !llvm::all_of(loop->getResults(), [](Value v) { return v.use_empty(); });
  bool hasKernels =
      loop->walk([](task::CallOp) { return WalkResult::interrupt(); }).wasInterrupted();
  LoopLoads loads;
  if (isUsed || !hasKernels || !collectLoopLoads(loop, loads)) {
    return false;
  }
  mlir::Block &body = bodyOf(loop);
  return isKeptUntil(loads.start, loop, main, kernels) &&
         isKeptUntil(loads.next, body.getTerminator(), main, kernels) &&
         canSpread(body, main, kernels);
}

} // namespace

bool mayOverwrite(Operation *op, Operation *load, func::FuncOp main, KernelTable &kernels) {
  FailureOr<SmallVector<Access>> all = accessesOf(op, main, kernels, /*withScratch=*/true);
  FailureOr<SmallVector<Access>> read = accessesOf(load, main, kernels, /*withScratch=*/true);
  return failed(all) || failed(read) || llvm::any_of(*all, [&](const Access &access) {
           return access.isWrite && llvm::any_of(*read, [&](const Access &of) {
                    return of.argument == access.argument && of.begin < access.end &&
                           access.begin < of.end;
                  });
         });
}

std::optional<SmallVector<Operation *>> conditionLoads(Value condition) {
  SmallVector<Operation *> loads;
  if (!collectLoads(condition, loads)) {
    return std::nullopt;
  }
  return loads;
}

mlir::Block &bodyOf(Operation *loop) {
  auto repeat = dyn_cast<scf::WhileOp>(loop);
  return repeat ? *repeat.getAfterBody() : *cast<scf::ForOp>(loop).getBody();
}

LoopLoads loadsOf(Operation *loop) {
  LoopLoads loads;
  collectLoopLoads(loop, loads);
  return loads;
}

bool canSpread(Operation *control, func::FuncOp main, KernelTable &kernels) {
  if (auto branch = dyn_cast<scf::IfOp>(control)) {
    return canSpreadBranch(branch, main, kernels);
  }
  return isa<scf::ForOp, scf::WhileOp>(control) && canSpreadLoop(control, main, kernels);
}

} // namespace convoy::schedule
