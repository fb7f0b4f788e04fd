// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the branches of @main whose work several workers can execute. Each worker reads the
// condition from memory before each piece. The condition must therefore stay in memory until the
// last piece is done, and pieces may only communicate through memory. Loops are not spread, because
// each count is posted once per region.

#include "Schedule/Schedule.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace convoy::schedule {
namespace {

bool isPlainValue(Operation *op) { return isMemoryEffectFree(op) && op->getNumRegions() == 0; }

/// Collects the loads from which a value is computed with pure ops.
bool collectLoads(Value value, SmallVectorImpl<Operation *> &loads) {
  Operation *op = value.getDefiningOp();
  if (!op) {
    return isa<func::FuncOp>(cast<BlockArgument>(value).getOwner()->getParentOp());
  }
  if (isa<memref::LoadOp>(op)) {
    loads.push_back(op);
  } else if (!isPlainValue(op)) {
    return false;
  }
  return llvm::all_of(op->getOperands(),
                      [&](Value operand) { return collectLoads(operand, loads); });
}

/// Returns whether any worker can execute an op: its operands are addresses and constants, not
/// loaded values.
bool isSelfContained(Operation *op) {
  SmallVector<Operation *> loads;
  return llvm::all_of(op->getOperands(),
                      [&](Value operand) { return collectLoads(operand, loads); }) &&
         loads.empty();
}

/// Returns whether a value is only used as the condition of branches.
bool isForBranches(Value value) {
  return llvm::all_of(value.getUsers(), [](Operation *user) {
    return isa<scf::IfOp>(user) ||
           (isPlainValue(user) && llvm::all_of(user->getResults(), isForBranches));
  });
}

/// Returns whether all ops of a block can be executed under the condition of a branch.
bool canSpread(mlir::Block &block, func::FuncOp main, KernelTable &kernels) {
  return llvm::all_of(block.without_terminator(), [&](Operation &op) {
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      return canSpread(branch, main, kernels);
    }
    if (isa<memref::LoadOp>(op)) {
      return isForBranches(op.getResult(0));
    }
    bool isWork = isa<task::CallOp, memref::CopyOp, memref::StoreOp>(op);
    return isPlainValue(&op) || (isWork && op.getNumResults() == 0 && isSelfContained(&op));
  });
}

/// Returns whether an op may write bytes that a load reads; true if this is unknown.
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

} // namespace

std::optional<SmallVector<Operation *>> conditionLoads(Value condition) {
  SmallVector<Operation *> loads;
  if (!collectLoads(condition, loads)) {
    return std::nullopt;
  }
  return loads;
}

bool canSpread(scf::IfOp branch, func::FuncOp main, KernelTable &kernels) {
  std::optional<SmallVector<Operation *>> loads = conditionLoads(branch.getCondition());
  if (branch.getNumResults() > 0 || !loads || loads->empty()) {
    return false;
  }
  bool isKept = llvm::none_of(*loads, [&](Operation *load) {
    // Otherwise ops between the load and the branch could change the condition.
    return load->getBlock() != branch->getBlock() || mayOverwrite(branch, load, main, kernels);
  });
  for (Operation *load : *loads) {
    for (Operation *op = load; isKept && op != branch; op = op->getNextNode()) {
      isKept = op == load || isPlainValue(op) || !mayOverwrite(op, load, main, kernels);
    }
  }
  return isKept && llvm::all_of(branch.getRegions(), [&](Region *side) {
           return side->empty() || canSpread(side->front(), main, kernels);
         });
}

} // namespace convoy::schedule
