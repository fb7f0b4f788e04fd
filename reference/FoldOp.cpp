// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements FoldOp.h.

#include "reference/FoldOp.h"
#include "Graph/Constant.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace convoy::reference {
namespace {

/// Returns the operands in memory, or nullopt if one is not constant. The operand of graph.shape
/// only needs its type.
std::optional<std::vector<Datum>> operandsOf(Operation *op) {
  std::vector<Datum> operands;
  for (Value operand : op->getOperands()) {
    if (isa<graph::ShapeOp>(op)) {
      auto type = cast<RankedTensorType>(operand.getType());
      operands.emplace_back(
          Tensor::view(fromMlir(type.getElementType()), type.getShape(), nullptr, nullptr));
      continue;
    }
    std::optional<Tensor> tensor = graph::constantValue(operand);
    if (!tensor) {
      return std::nullopt;
    }
    operands.emplace_back(*tensor);
  }
  return operands;
}

} // namespace

bool foldOp(Operation *op, const RunOptions &limits) {
  std::optional<std::vector<Datum>> operands = operandsOf(op);
  if (!operands) {
    return false;
  }
  // If the reference interpreter cannot evaluate the op on these values, the error is reported at
  // run time.
  ScopedDiagnosticHandler quiet(op->getContext(), [](Diagnostic &) { return success(); });
  FailureOr<std::vector<Datum>> results = evaluate(op, *operands, limits);
  if (failed(results)) {
    return false;
  }
  OpBuilder builder(op);
  for (auto [result, datum] : llvm::zip(op->getResults(), *results)) {
    result.replaceAllUsesWith(graph::constant(builder, op->getLoc(), datum.tensor));
  }
  op->erase();
  return true;
}

} // namespace convoy::reference
