// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the contract of the tasks stage. Kernels and Memory may assume that no graph.kernel
// remains, so every computation is a function that can be lowered separately.

#include "Graph/Graph.h"
#include "Outline/Passes.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace convoy::outline {
#define GEN_PASS_DEF_CHECKOUTLINECONTRACTPASS
#include "Outline/Passes.h.inc"

namespace {

struct CheckOutlineContract : impl::CheckOutlineContractPassBase<CheckOutlineContract> {
  void runOnOperation() override {
    getOperation().walk([&](graph::KernelOp kernel) {
      kernel.emitOpError("remains after the tasks stage; run convoy-outline-split-kernels");
      signalPassFailure();
    });
  }
};

} // namespace

void addOutlineContract(OpPassManager &passes) { passes.addPass(createCheckOutlineContractPass()); }

} // namespace convoy::outline
