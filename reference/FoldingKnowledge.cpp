// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates values that depend only on constants, on demand. The main use is
// shape arithmetic, for example Shape, Gather and Concat before a Reshape.

#include "Graph/Constant.h"
#include "mlir/IR/Diagnostics.h"
#include "reference/Evaluation.h"

using namespace mlir;

namespace convoy::reference {

/// Returns whether the type has a static shape of at most `maxBytes` bytes.
static bool fitsIn(Type type, int64_t maxBytes) {
  auto ranked = dyn_cast<RankedTensorType>(type);
  if (!ranked || !ranked.hasStaticShape()) {
    return false;
  }
  std::optional<int64_t> count = elementCount(ranked.getShape());
  return count && *count <= maxBytes / 8;
}

bool FoldingKnowledge::isSmall(Operation *op) const {
  // The shape of a large tensor is still a small tensor.
  bool readsValues = !isa<graph::ShapeOp>(op);
  auto fits = [&](Type type) { return fitsIn(type, maxBytes); };
  return llvm::all_of(op->getResultTypes(), fits) &&
         (!readsValues || llvm::all_of(op->getOperandTypes(), fits));
}

bool FoldingKnowledge::isFoldable(Operation *op) const {
  return op && op->getNumRegions() == 0 && canEvaluate(op) && isSmall(op) && !graph::neverFolds(op);
}

std::optional<Tensor> FoldingKnowledge::value(Value value) {
  // An explicit stack, because a chain of nodes may exceed the stack of the
  // thread.
  SmallVector<Value> pending = {value};
  while (!pending.empty()) {
    Value next = pending.back();
    if (memo.count(next)) {
      pending.pop_back();
      continue;
    }
    Operation *op = next.getDefiningOp();
    size_t before = pending.size();
    if (isFoldable(op) && !isa<graph::ShapeOp>(op)) {
      llvm::copy_if(op->getOperands(), std::back_inserter(pending),
                    [&](Value operand) { return !memo.count(operand); });
    }
    if (pending.size() == before) {
      std::optional<Tensor> known = graph::constantValue(next);
      memo[next] = known || !isFoldable(op) ? known : evaluateDefinition(next);
      pending.pop_back();
    }
  }
  return memo[value];
}

/// Returns the shape of a tensor of static type, even if its value is unknown.
static std::optional<Tensor> valueOfShape(graph::ShapeOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getInput().getType());
  if (!type || !type.hasStaticShape()) {
    return std::nullopt;
  }
  Datum stand(Tensor::view(fromMlir(type.getElementType()), type.getShape(), nullptr, nullptr));
  FailureOr<std::vector<Datum>> result = evaluate(op, {stand});
  return succeeded(result) ? std::optional<Tensor>(result->front().tensor) : std::nullopt;
}

/// Evaluates the op that defines a value whose operands have been evaluated.
std::optional<Tensor> FoldingKnowledge::evaluateDefinition(Value value) {
  Operation *op = value.getDefiningOp();
  // An op that cannot run is not an error until it runs.
  ScopedDiagnosticHandler quiet(op->getContext(), [](Diagnostic &) { return success(); });
  if (auto shape = dyn_cast<graph::ShapeOp>(op)) {
    return valueOfShape(shape);
  }
  std::vector<Datum> operands;
  for (Value operand : op->getOperands()) {
    std::optional<Tensor> known = memo.lookup(operand);
    if (!known) {
      return std::nullopt;
    }
    operands.push_back(*known);
  }
  // Skips ops that take long to evaluate, because the run evaluates them again.
  RunOptions options;
  options.maxTerms = 1 << 24;
  options.maxTensorBytes =
      maxBytes; // a tensor of few strings can have more bytes than its type says
  FailureOr<std::vector<Datum>> results = evaluate(op, operands, options);
  if (failed(results)) {
    return std::nullopt;
  }
  return (*results)[cast<OpResult>(value).getResultNumber()].tensor;
}

} // namespace convoy::reference
