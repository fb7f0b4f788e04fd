// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates ops on constants with the reference interpreter in one walk. The walk
// folds operands before their readers, so it folds whole chains.

#include "Graph/PackedMatrix.h"
#include "Simplify/Passes.h"
#include "reference/FoldOp.h"
#include "reference/Reference.h"

using namespace mlir;

namespace convoy::simplify {

using namespace graph;
#define GEN_PASS_DEF_FOLDCONSTANTSPASS
#include "Simplify/Passes.h.inc"

namespace {

bool isStatic(Type type) {
  auto ranked = dyn_cast<RankedTensorType>(type);
  return ranked && ranked.hasStaticShape();
}

int64_t bytesOf(Type type) {
  auto ranked = cast<RankedTensorType>(type);
  return ranked.getNumElements() * storageBytes(fromMlir(ranked.getElementType()));
}

/// Moves the ops of a branch before its graph.if and replaces the graph.if by the
/// yielded values.
void inlineBranch(IfOp op, Region &branch) {
  Block &block = branch.front();
  Operation *yield = block.getTerminator();
  op->getBlock()->getOperations().splice(op->getIterator(), block.getOperations(), block.begin(),
                                         yield->getIterator());
  op.replaceAllUsesWith(yield->getOperands());
  op.erase();
}

class Folder {
public:
  Folder(int64_t maxGrowthBytes, bool keepsQuantized, bool keepsPacked)
      : maxGrowthBytes(maxGrowthBytes), keepsQuantized(keepsQuantized), keepsPacked(keepsPacked) {}

  LogicalResult visitBlock(Block &block) {
    for (auto it = block.begin(); it != block.end();) {
      Operation *op = &*it;
      Operation *before = it == block.begin() ? nullptr : op->getPrevNode();
      FailureOr<bool> isReplaced = visitOp(op);
      if (failed(isReplaced)) {
        return failure();
      }
      // A replaced op is erased; the walk continues at the first op of an inlined
      // branch.
      it =
          *isReplaced ? (before ? std::next(before->getIterator()) : block.begin()) : std::next(it);
    }
    return success();
  }

  int64_t folded = 0;

private:
  /// Returns whether the op was replaced.
  FailureOr<bool> visitOp(Operation *op) {
    if (!isa_and_nonnull<GraphDialect>(op->getDialect()) || isa<ConstantOp>(op)) {
      return false;
    }
    if (auto branch = dyn_cast<IfOp>(op)) {
      if (std::optional<Tensor> condition = constantValue(branch.getCondition())) {
        bool isThen = condition->asInt(0) != 0;
        inlineBranch(branch, isThen ? branch.getThenBranch() : branch.getElseBranch());
        return true;
      }
    }
    for (Region &region : op->getRegions()) {
      if (failed(visitBlock(region.front()))) {
        return failure();
      }
    }
    bool isOpen = !llvm::all_of(op->getResultTypes(), isStatic);
    if (isOpen && failed(inferResultTypes(op, knowledge))) {
      return failure();
    }
    return mayFold(op) && fold(op);
  }

  bool mayFold(Operation *op) const {
    if (op->getNumRegions() || op->getNumResults() == 0 || neverFolds(op) ||
        !reference::canEvaluate(op) || !llvm::all_of(op->getResultTypes(), isStatic)) {
      return false;
    }
    if (isa<ShapeOp>(op)) {
      return isStatic(op->getOperand(0).getType());
    }
    if (isPackedMatrix(op) ? keepsPacked : keepsQuantized && isa<DequantizeLinearOp>(op)) {
      return false;
    }
    int64_t operandBytes = 0;
    for (Value operand : op->getOperands()) {
      if (!operand.getDefiningOp<ConstantOp>() || !isStatic(operand.getType())) {
        return false;
      }
      operandBytes += bytesOf(operand.getType());
    }
    int64_t resultBytes = 0;
    for (Type type : op->getResultTypes()) {
      resultBytes += bytesOf(type);
    }
    return resultBytes <= 4 * operandBytes + maxGrowthBytes;
  }

  bool fold(Operation *op) {
    bool isFolded = reference::foldOp(op);
    folded += isFolded ? 1 : 0;
    return isFolded;
  }

  int64_t maxGrowthBytes;
  bool keepsQuantized, keepsPacked;
  Knowledge knowledge;
};

struct FoldConstants : impl::FoldConstantsPassBase<FoldConstants> {
  using FoldConstantsPassBase::FoldConstantsPassBase;

  void runOnOperation() override {
    Folder folder(maxGrowthBytes, keepsQuantized, keepsPacked);
    if (failed(folder.visitBlock(getOperation().getBody().front()))) {
      return signalPassFailure();
    }
    foldedOps += folder.folded;
    updateFunctionType(getOperation());
  }
};

} // namespace
} // namespace convoy::simplify
