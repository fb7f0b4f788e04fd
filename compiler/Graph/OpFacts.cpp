// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the facts that the ops declare in their .td.

#include "Graph/OpFacts.h"
#include "Graph/Graph.h"
#include "Graph/View.h"

using namespace mlir;

#include "Graph/OpFacts.cpp.inc"

namespace convoy::graph {

OpClass classify(Operation *op) {
  auto facts = dyn_cast<OpFactsInterface>(op);
  return facts ? facts.getOpClass() : OpClass::None;
}

int64_t loopCount(Block &block) {
  int64_t count = 0;
  block.walk([&](Operation *op) {
    OpClass kind = classify(op);
    count += kind == OpClass::Heavy || kind == OpClass::Reduction || kind == OpClass::Control;
  });
  return count;
}

bool isStaticOperand(OpOperand &operand) {
  auto facts = dyn_cast<OpFactsInterface>(operand.getOwner());
  return facts && facts.isStaticOperand(operand);
}

bool collapsesDimensions(Operation *op) {
  auto facts = dyn_cast<OpFactsInterface>(op);
  return facts && facts.collapsesDimensions();
}

bool readsOnce(Operation *op) {
  auto facts = dyn_cast<OpFactsInterface>(op);
  return facts && facts.readsOnce();
}

bool needsNoKernel(Operation *op) {
  auto facts = dyn_cast<OpFactsInterface>(op);
  return facts && (facts.needsNoKernel() || facts.getOpClass() == OpClass::Control);
}

/// Returns whether an op is a transpose that the layout stage made a view.
static bool isTransposedView(Operation *op) {
  auto transpose = dyn_cast<TransposeOp>(op);
  return transpose && !isa<KernelOp>(op->getParentOp()) && isView(transpose);
}

bool namesStorage(Operation *op) {
  auto facts = dyn_cast<OpFactsInterface>(op);
  return facts && (facts.namesStorage() || isTransposedView(op));
}

bool acceptsLayouts(Operation *op) {
  auto facts = dyn_cast<OpFactsInterface>(op);
  return facts && (facts.acceptsLayouts() || isTransposedView(op));
}

bool commutesWithQuantization(Operation *op) {
  auto facts = dyn_cast<OpFactsInterface>(op);
  return facts && facts.commutesWithQuantization();
}

bool hasIntegerForm(Operation *op) {
  auto facts = dyn_cast<OpFactsInterface>(op);
  return facts && facts.hasIntegerForm();
}

bool hasTableForm(Operation *op) {
  auto facts = dyn_cast<OpFactsInterface>(op);
  return facts && facts.hasTableForm();
}

bool isLinearLayer(Operation *op) {
  auto facts = dyn_cast<OpFactsInterface>(op);
  return facts && facts.isLinearLayer();
}

bool neverFolds(Operation *op) {
  auto facts = dyn_cast<OpFactsInterface>(op);
  return facts && facts.neverFolds();
}

bool isOneOf(OpOperand &operand, const MutableOperandRange &named) {
  return llvm::any_of(named, [&](OpOperand &each) { return &each == &operand; });
}

} // namespace convoy::graph
