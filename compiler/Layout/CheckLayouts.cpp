// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Refuses layouts that later stages would misread.

#include "Graph/Graph.h"
#include "Layout/Passes.h"

using namespace mlir;

namespace convoy::layout {
#define GEN_PASS_DEF_CHECKLAYOUTSPASS
#include "Layout/Passes.h.inc"

namespace {

/// Ops that read layouts: everything else takes a tensor type for its bytes.
bool readsLayouts(Operation *op) {
  return isa<graph::KernelOp, graph::ReorderOp, graph::ConcatOp, graph::ConstantOp>(op);
}

struct CheckLayouts : impl::CheckLayoutsPassBase<CheckLayouts> {
  void runOnOperation() override {
    getOperation().walk([&](Operation *op) {
      if (op->getParentOfType<graph::KernelOp>()) {
        return;
      }
      checkOperands(op);
      if (auto kernel = dyn_cast<graph::KernelOp>(op)) {
        checkKernel(kernel);
      }
    });
  }

  void checkOperands(Operation *op) {
    for (Type type : op->getOperandTypes()) {
      Attribute layout = graph::layoutOf(type);
      if (layout && !isa<graph::LayoutAttrInterface>(layout)) {
        op->emitOpError("has an operand with an encoding that is no layout, ") << type;
        signalPassFailure();
      } else if (layout && !readsLayouts(op)) {
        op->emitOpError("has an operand with a layout encoding, ")
            << type << ", which only kernels read; a graph.reorder is missing";
        signalPassFailure();
      }
    }
  }

  void checkKernel(graph::KernelOp kernel) {
    Block &body = kernel.getBody().front();
    bool isEqual =
        TypeRange(kernel.getInputs().getTypes()) == TypeRange(body.getArgumentTypes()) &&
        TypeRange(kernel.getResultTypes()) == TypeRange(body.getTerminator()->getOperandTypes());
    if (!isEqual) {
      kernel.emitOpError("has layouts outside that differ from those inside");
      signalPassFailure();
    }
  }
};

} // namespace
} // namespace convoy::layout
