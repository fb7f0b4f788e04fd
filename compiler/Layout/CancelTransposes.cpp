// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements convoy-layout-cancel-transposes: replaces kernels that only transpose by views if the
// chosen layouts store operand and result with the same bytes. Memory then gives both the same
// address.

#include "Graph/Graph.h"
#include "Graph/OpFacts.h"
#include "Graph/View.h"
#include "Layout/Passes.h"

using namespace mlir;

namespace convoy::layout {
#define GEN_PASS_DEF_CANCELTRANSPOSESPASS
#include "Layout/Passes.h.inc"

namespace {

/// Returns the transpose if the kernel contains nothing else, or null.
graph::TransposeOp transposeOf(graph::KernelOp kernel) {
  Block &body = kernel.getBody().front();
  auto transpose = dyn_cast<graph::TransposeOp>(body.front());
  bool isAll = transpose && transpose->getNextNode() == body.getTerminator() &&
               kernel.getNumResults() == 1 && kernel.getInputs().size() == 1;
  return isAll ? transpose : graph::TransposeOp();
}

/// Returns whether the function returns the value or a view of it. An output has memory of its own.
bool isReturned(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *op) {
    return isa<func::ReturnOp>(op) || (graph::namesStorage(op) && isReturned(op->getResult(0)));
  });
}

struct CancelTransposes : impl::CancelTransposesPassBase<CancelTransposes> {
  using CancelTransposesPassBase::CancelTransposesPassBase;

  void runOnOperation() override {
    auto kernels = llvm::to_vector(getOperation().getBody().front().getOps<graph::KernelOp>());
    for (graph::KernelOp kernel : kernels) {
      graph::TransposeOp transpose = transposeOf(kernel);
      if (!transpose || !graph::isView(transpose) || isReturned(kernel.getResult(0))) {
        continue;
      }
      OpBuilder builder(kernel);
      auto view = builder.create<graph::TransposeOp>(kernel.getLoc(), kernel.getResult(0).getType(),
                                                     kernel.getInputs()[0], transpose.getPerm());
      kernel.getResult(0).replaceAllUsesWith(view.getResult());
      kernel.erase();
      ++canceled;
    }
  }
};

} // namespace
} // namespace convoy::layout
