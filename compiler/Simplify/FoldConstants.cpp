// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates ops on constants with the reference interpreter in one walk. The walk
// folds operands before their readers, so it folds whole chains.

#include "Graph/PackedMatrix.h"
#include "Simplify/FoldingTerms.h"
#include "Simplify/Passes.h"
#include "Support/ResourceBudget.h"
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

int64_t tensorBytes(Type type) {
  auto ranked = cast<RankedTensorType>(type);
  return ranked.getNumElements() * storageBytes(fromMlir(ranked.getElementType()));
}

/// Returns whether a fold adds so many elements that the constant costs more than the op at run
/// time. The operands of a chain that doubles a tensor are one value.
bool growsTooMuch(Operation *op) {
  constexpr int64_t kMostNewElements = int64_t(1) << 24; // 64 MiB of float
  int64_t added = 0;
  for (Type type : op->getResultTypes()) {
    added += cast<RankedTensorType>(type).getNumElements();
  }
  SmallPtrSet<Value, 4> read;
  for (Value operand : op->getOperands()) {
    added -= read.insert(operand).second
                 ? cast<RankedTensorType>(operand.getType()).getNumElements()
                 : 0;
  }
  return added > kMostNewElements;
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

/// Returns the bytes of all constants of a function.
int64_t constantBytes(func::FuncOp function) {
  int64_t bytes = 0;
  function.walk(
      [&](ConstantOp op) { bytes += isStatic(op.getType()) ? tensorBytes(op.getType()) : 0; });
  return bytes;
}

// The attribute of a function whose folding ended at a total.
constexpr StringLiteral kFoldingIsOver = "foldingIsOver";

/// The limits of a Folder.
struct FoldLimits {
  int64_t growthBytes; // of one result beyond four times the operands
  int64_t bytes;       // of all results
  int64_t terms;       // products and sums of one op
  int64_t allTerms;    // of all ops, with the elements that they read and write
};

class Folder {
public:
  Folder(const FoldLimits &limits, bool keepsQuantized, bool keepsPacked)
      : left(limits), keepsQuantized(keepsQuantized), keepsPacked(keepsPacked) {}

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
  /// Whether a limit on all ops refused a fold.
  bool isOver = false;

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

  bool mayFold(Operation *op) {
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
      operandBytes += tensorBytes(operand.getType());
    }
    int64_t resultBytes = bytesOf(op->getResultTypes());
    if (resultBytes > 4 * operandBytes + left.growthBytes || growsTooMuch(op) ||
        foldingTerms(op) > static_cast<double>(left.terms)) {
      return false;
    }
    bool isWithin = resultBytes <= left.bytes && workOf(op) <= static_cast<double>(left.allTerms);
    isOver |= !isWithin;
    return isWithin;
  }

  static int64_t bytesOf(TypeRange types) {
    int64_t bytes = 0;
    for (Type type : types) {
      bytes += tensorBytes(type);
    }
    return bytes;
  }

  /// Returns the terms of an op and the elements that it reads and writes.
  static double workOf(Operation *op) {
    double work = foldingTerms(op);
    for (TypeRange types : {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())}) {
      for (Type type : types) {
        work += isStatic(type) ? double(cast<RankedTensorType>(type).getNumElements()) : 0;
      }
    }
    return work;
  }

  bool fold(Operation *op) {
    int64_t resultBytes = bytesOf(op->getResultTypes());
    auto work = static_cast<int64_t>(workOf(op));
    std::optional<int64_t> counted = foldCounted(op);
    folded += counted ? 1 : 0;
    left.bytes -= counted ? resultBytes : 0;
    left.allTerms -= counted ? work + *counted : 0;
    return counted.has_value();
  }

  /// Folds the op and returns a bound on the terms that the interpreter counts, at most 16 times
  /// too large: the interpreter refuses an op above a limit before it evaluates the op, so the
  /// limit grows until the op fits. Returns nothing if the op is not folded.
  std::optional<int64_t> foldCounted(Operation *op) {
    constexpr int64_t kFirst = int64_t(1) << 20, kGrowth = 16;
    int64_t most = std::min(left.terms, left.allTerms);
    reference::RunOptions limits;
    // The type of a tensor of strings does not bound its bytes.
    constexpr int64_t kMostTextBytes = int64_t(16) << 20;
    bool hasText = llvm::any_of(op->getResultTypes(), [](Type type) {
      return fromMlir(cast<RankedTensorType>(type).getElementType()) == ElementType::String;
    });
    limits.maxTensorBytes = hasText ? std::min(left.bytes, kMostTextBytes) : left.bytes;
    limits.maxTerms = 0;
    while (!reference::foldOp(op, limits)) {
      if (limits.maxTerms == most) {
        return std::nullopt;
      }
      limits.maxTerms = std::min(most, std::max(kFirst, limits.maxTerms * kGrowth));
    }
    return limits.maxTerms;
  }

  FoldLimits left;
  bool keepsQuantized, keepsPacked;
  Knowledge knowledge;
};

struct FoldConstants : impl::FoldConstantsPassBase<FoldConstants> {
  using FoldConstantsPassBase::FoldConstantsPassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    int64_t constants = constantBytes(function);
    const ResourceBudget budget;
    FoldLimits limits{maxGrowthBytes, 8 * constants + maxTotalBytes, budget.foldedTerms(),
                      16 * constants + budget.allFoldedTerms()};
    if (function->hasAttr(kFoldingIsOver)) {
      limits = {maxGrowthBytes, maxGrowthBytes, /*terms=*/1 << 20, /*allTerms=*/1 << 24};
    }
    Folder folder(limits, keepsQuantized, keepsPacked);
    if (failed(folder.visitBlock(getOperation().getBody().front()))) {
      return signalPassFailure();
    }
    if (folder.isOver) {
      function->setAttr(kFoldingIsOver, UnitAttr::get(&getContext()));
    }
    foldedOps += folder.folded;
    updateFunctionType(getOperation());
  }
};

} // namespace
} // namespace convoy::simplify
