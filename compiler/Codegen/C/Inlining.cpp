// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides which ops are inlined. An inlined op is evaluated at its use, so its operands must
// still be available there: lastUse() looks through inlined ops.

#include "Codegen/C/Inlining.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace convoy::codegen {
namespace {

// Longer expressions are hard to read.
constexpr int kLongestExpression = 5;

bool isScalarInteger(Operation *op) {
  return isa_and_nonnull<arith::ArithDialect>(op->getDialect()) && op->getNumResults() == 1 &&
         op->getResult(0).getType().isIntOrIndex();
}

bool isSpread(Operation *op) {
  auto broadcast = dyn_cast<vector::BroadcastOp>(op);
  return broadcast && !isa<VectorType>(broadcast.getSourceType());
}

/// Returns whether the op has a single use that is evaluated once. The bound of a loop is
/// evaluated in each iteration.
bool hasPlace(Operation *op) {
  if (!op->getResult(0).hasOneUse()) {
    return false;
  }
  OpOperand &use = *op->getResult(0).use_begin();
  Operation *user = use.getOwner();
  if (user->getBlock() != op->getBlock()) {
    return false;
  }
  if (isa<scf::ForOp>(user)) {
    return use.getOperandNumber() == 0;
  }
  return user->getNumRegions() == 0 || isa<scf::IfOp, scf::IndexSwitchOp>(user);
}

} // namespace

Inlining::Inlining(FunctionOpInterface function) {
  function.walk([&](Operation *op) {
    if (isa<arith::ConstantOp>(op) || isSpread(op)) {
      weights[op] = 0;
      return;
    }
    if (!isScalarInteger(op) || !hasPlace(op)) {
      return;
    }
    int weight = 1;
    for (Value operand : op->getOperands()) {
      weight += operand.getDefiningOp() ? weights.lookup(operand.getDefiningOp()) : 0;
    }
    if (weight <= kLongestExpression) {
      weights[op] = weight;
    }
  });
}

Operation *Inlining::lastUse(Value value, Block *block) const {
  Operation *last = nullptr;
  auto consider = [&](Operation *at) {
    if (at && (!last || last->isBeforeInBlock(at))) {
      last = at;
    }
  };
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    consider(isInlined(user) ? lastUse(user->getResult(0), block)
                             : block->findAncestorOpInBlock(*user));
    // A loop may have taken the variable for its result.
    if (auto loop = dyn_cast<scf::ForOp>(user); loop && use.getOperandNumber() >= 3) {
      consider(lastUse(loop.getResult(use.getOperandNumber() - 3), block));
    }
  }
  return last;
}

BlockArgument Inlining::replaced(OpResult result) const {
  Operation *op = result.getOwner();
  auto loop = dyn_cast_or_null<scf::ForOp>(op->getParentOp());
  if (!loop || !result.hasOneUse() || op->getNumRegions() != 0) {
    return {};
  }
  OpOperand &use = *result.use_begin();
  if (use.getOwner() != loop.getBody()->getTerminator()) {
    return {};
  }
  BlockArgument argument = loop.getRegionIterArg(use.getOperandNumber());
  Operation *last = lastUse(argument, loop.getBody());
  return last && op->isBeforeInBlock(last) ? BlockArgument() : argument;
}

} // namespace convoy::codegen
