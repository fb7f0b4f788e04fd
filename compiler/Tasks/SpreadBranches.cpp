// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which branches of @main workers can do together. Each looks at the condition in
// memory before each piece, so the condition must be there to read until the last
// piece is done, and nothing but memory may pass from one piece to another. Loops
// are not spread: a flag is posted once in a region.

#include "Tasks/Schedule.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace convoy::tasks {
namespace {

bool isPlainValue(Operation *op) { return isMemoryEffectFree(op) && op->getNumRegions() == 0; }

/// Collects the loads that a value is made of, with pure operations.
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

/// Whether an op can be done anywhere: its operands are places and numbers, not what
/// another op found out.
bool isSelfContained(Operation *op) {
  SmallVector<Operation *> loads;
  return llvm::all_of(op->getOperands(),
                      [&](Value operand) { return collectLoads(operand, loads); }) &&
         loads.empty();
}

/// Whether a value only decides branches, here or further in.
bool isForBranches(Value value) {
  return llvm::all_of(value.getUsers(), [](Operation *user) {
    return isa<scf::IfOp>(user) ||
           (isPlainValue(user) && llvm::all_of(user->getResults(), isForBranches));
  });
}

/// Whether all of a block can be done under the condition of a branch.
bool canSpread(mlir::Block &block, func::FuncOp main, KernelTable &kernels) {
  return llvm::all_of(block.without_terminator(), [&](Operation &op) {
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      return canSpread(branch, main, kernels);
    }
    if (isa<memref::LoadOp>(op)) {
      return isForBranches(op.getResult(0));
    }
    bool isWork = isa<func::CallOp, memref::CopyOp, memref::StoreOp>(op);
    return isPlainValue(&op) || (isWork && op.getNumResults() == 0 && isSelfContained(&op));
  });
}

/// Whether an op writes bytes that a load reads. Yes, when it cannot be told.
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
    // Or what is between the two could have changed what a second look finds.
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

} // namespace convoy::tasks
