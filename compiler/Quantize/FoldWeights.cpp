// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folds quantised constants that no integer layer uses into floating-point
// constants, using the reference interpreter.

#include "Graph/Constant.h"
#include "Graph/Graph.h"
#include "Quantize/Passes.h"
#include "reference/Reference.h"

using namespace mlir;

namespace convoy::quantize {
#define GEN_PASS_DEF_FOLDWEIGHTSPASS
#include "Quantize/Passes.h.inc"

namespace {

/// Replaces the op by a constant if its operands are constants.
void fold(graph::DequantizeLinearOp op) {
  std::vector<reference::Datum> operands;
  for (Value operand : op->getOperands()) {
    std::optional<Tensor> tensor = graph::constantValue(operand);
    if (!tensor) {
      return;
    }
    operands.emplace_back(*tensor);
  }
  FailureOr<std::vector<reference::Datum>> results = reference::evaluate(op, operands);
  if (failed(results)) {
    return;
  }
  OpBuilder builder(op);
  op.getResult().replaceAllUsesWith(graph::constant(builder, op.getLoc(), results->front().tensor));
  op.erase();
}

struct FoldWeights : impl::FoldWeightsPassBase<FoldWeights> {
  void runOnOperation() override {
    SmallVector<graph::DequantizeLinearOp> ops;
    getOperation().walk([&](graph::DequantizeLinearOp op) { ops.push_back(op); });
    for (graph::DequantizeLinearOp op : ops) {
      fold(op);
    }
  }
};

} // namespace
} // namespace convoy::quantize
