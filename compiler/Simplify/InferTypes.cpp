// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Infers types in program order, innermost regions first, and then updates the type
// of the function.

#include "Simplify/Passes.h"
#include "reference/Reference.h"

using namespace mlir;

namespace convoy::simplify {

using namespace graph;
#define GEN_PASS_DEF_INFERTYPESPASS
#include "Simplify/Passes.h.inc"

void updateFunctionType(func::FuncOp function) {
  Block &body = function.getBody().front();
  function.setType(FunctionType::get(function.getContext(), body.getArgumentTypes(),
                                     body.getTerminator()->getOperandTypes()));
}

namespace {
struct InferTypes : impl::InferTypesPassBase<InferTypes> {
  void runOnOperation() override {
    reference::FoldingKnowledge knowledge;
    WalkResult result = getOperation().walk([&](TypeInferenceOpInterface op) {
      return failed(inferResultTypes(op, knowledge)) ? WalkResult::interrupt()
                                                     : WalkResult::advance();
    });
    if (result.wasInterrupted()) {
      return signalPassFailure();
    }
    updateFunctionType(getOperation());
  }
};
} // namespace
} // namespace convoy::simplify
