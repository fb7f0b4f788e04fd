// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates what follows from constants, on demand. Shape arithmetic (Shape,
// Gather, Concat in front of a Reshape) is what it is for.

#include "Graph/Constant.h"
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

std::optional<Tensor> FoldingKnowledge::value(Value value) {
  auto it = memo.find(value);
  if (it != memo.end()) {
    return it->second;
  }
  std::optional<Tensor> known = graph::constantValue(value);
  if (!known) {
    known = evaluateDefinition(value);
  }
  memo[value] = known;
  return known;
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

std::optional<Tensor> FoldingKnowledge::evaluateDefinition(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumRegions() || !canEvaluate(op) || !isSmall(op) ||
      isa<graph::RandomOp>(op)) {
    return std::nullopt;
  }
  if (auto shape = dyn_cast<graph::ShapeOp>(op)) {
    return valueOfShape(shape);
  }
  std::vector<Datum> operands;
  for (Value operand : op->getOperands()) {
    std::optional<Tensor> known = this->value(operand);
    if (!known) {
      return std::nullopt;
    }
    operands.push_back(*known);
  }
  FailureOr<std::vector<Datum>> results = evaluate(op, operands);
  if (failed(results)) {
    return std::nullopt;
  }
  return (*results)[cast<OpResult>(value).getResultNumber()].tensor;
}

} // namespace convoy::reference
