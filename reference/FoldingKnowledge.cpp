// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates what follows from constants, on demand. Shape arithmetic (Shape,
// Gather, Concat in front of a Reshape) is what it is for.

#include "Graph/Constant.h"
#include "mlir/IR/Diagnostics.h"
#include "reference/Evaluation.h"

using namespace mlir;

namespace convoy::reference {

/// A small tensor of static shape has a byte size within `maxBytes`.
static bool fitsIn(Type type, int64_t maxBytes) {
  auto ranked = dyn_cast<RankedTensorType>(type);
  if (!ranked || !ranked.hasStaticShape()) {
    return false;
  }
  std::optional<int64_t> count = elementCount(ranked.getShape());
  return count && *count <= maxBytes / 8;
}

bool FoldingKnowledge::isSmall(Operation *op) const {
  // The shape of a large tensor is small all the same.
  bool readsValues = !isa<graph::ShapeOp>(op);
  auto fits = [&](Type type) { return fitsIn(type, maxBytes); };
  return llvm::all_of(op->getResultTypes(), fits) &&
         (!readsValues || llvm::all_of(op->getOperandTypes(), fits));
}

bool FoldingKnowledge::isFoldable(Operation *op) const {
  return op && op->getNumRegions() == 0 && canEvaluate(op) && isSmall(op) &&
         !isa<graph::RandomOp, graph::FailOp>(op);
}

std::optional<Tensor> FoldingKnowledge::value(Value value) {
  // A stack of our own: a chain of nodes may be longer than the thread's.
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

/// The shape of a tensor whose type is static is known though its value is not.
static std::optional<Tensor> valueOfShape(graph::ShapeOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getInput().getType());
  if (!type || !type.hasStaticShape()) {
    return std::nullopt;
  }
  Datum stand(Tensor::view(fromMlir(type.getElementType()), type.getShape(), nullptr, nullptr));
  FailureOr<std::vector<Datum>> result = evaluate(op, {stand});
  return succeeded(result) ? std::optional<Tensor>(result->front().tensor) : std::nullopt;
}

/// Evaluates the op behind a value whose operands have been looked at.
std::optional<Tensor> FoldingKnowledge::evaluateDefinition(Value value) {
  Operation *op = value.getDefiningOp();
  // An op that cannot run is no error before it does run.
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
  // What takes long is not worth it: the run will do it once more.
  RunOptions options;
  options.maxTerms = 1 << 24;
  FailureOr<std::vector<Datum>> results = evaluate(op, operands, options);
  if (failed(results)) {
    return std::nullopt;
  }
  return (*results)[cast<OpResult>(value).getResultNumber()].tensor;
}

} // namespace convoy::reference
