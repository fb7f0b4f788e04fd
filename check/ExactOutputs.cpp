// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks from each output back to the dequantize_linear that produces its floats.

#include "check/ExactOutputs.h"
#include "Graph/Constant.h"
#include "Graph/Graph.h"
#include "Graph/OpFacts.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace convoy::check {
namespace {

/// Returns whether the op may stand between the last layer and an output.
bool isTail(Operation *op) {
  graph::OpClass kind = graph::classify(op);
  return isa<graph::SoftmaxOp>(op) || kind == graph::OpClass::Elementwise ||
         kind == graph::OpClass::Movement || kind == graph::OpClass::Reduction;
}

/// Returns the only dequantized tensor that the value depends on, or the value itself.
Value sourceOf(Value value) {
  llvm::SmallSetVector<Value, 16> work;
  llvm::SmallSetVector<Value, 2> sources;
  work.insert(value);
  for (size_t i = 0; i < work.size(); ++i) {
    Operation *op = work[i].getDefiningOp();
    auto dequantize = dyn_cast_or_null<graph::DequantizeLinearOp>(op);
    if (dequantize && !graph::constantValue(dequantize.getInput())) {
      sources.insert(work[i]);
    } else if (!op || (!isTail(op) && !graph::constantValue(work[i]))) {
      return value;
    } else {
      work.insert(op->operand_begin(), op->operand_end());
    }
  }
  return sources.size() == 1 ? sources.front() : value;
}

} // namespace

void returnExactValues(func::FuncOp function) {
  Operation *end = function.getBody().front().getTerminator();
  for (OpOperand &operand : end->getOpOperands()) {
    operand.set(sourceOf(operand.get()));
  }
  function.setType(FunctionType::get(function.getContext(), function.getArgumentTypes(),
                                     end->getOperandTypes()));
}

} // namespace convoy::check
