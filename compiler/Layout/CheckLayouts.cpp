// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements convoy-layout-check-layouts: reports layouts that later stages would misinterpret.

#include "Graph/Graph.h"
#include "Layout/Passes.h"

using namespace mlir;

namespace convoy::layout {
#define GEN_PASS_DEF_CHECKLAYOUTSPASS
#include "Layout/Passes.h.inc"

namespace {

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
        op->emitOpError("has an operand whose encoding is not a layout, ") << type;
        signalPassFailure();
      } else if (layout && !graph::acceptsLayouts(op)) {
        op->emitOpError("has an operand with a layout encoding, ")
            << type << ", but only kernels read layouts; insert a graph.reorder before this op";
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
      kernel.emitOpError("has operand or result types that differ from the types in its body");
      signalPassFailure();
    }
  }
};

} // namespace
} // namespace convoy::layout
