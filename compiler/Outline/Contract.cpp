// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the contract of the tasks stage. Kernels and Memory may assume that no graph.kernel
// remains, so every computation is a function that can be lowered separately.

#include "Graph/Graph.h"
#include "Outline/Passes.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace convoy::outline {
#define GEN_PASS_DEF_CHECKTASKSCONTRACTPASS
#include "Outline/Passes.h.inc"

namespace {

struct CheckTasksContract : impl::CheckTasksContractPassBase<CheckTasksContract> {
  void runOnOperation() override {
    getOperation().walk([&](graph::KernelOp kernel) {
      kernel.emitOpError("remains after the tasks stage; run convoy-tasks-split-kernels");
      signalPassFailure();
    });
  }
};

} // namespace

void addOutlineContract(OpPassManager &passes) { passes.addPass(createCheckTasksContractPass()); }

} // namespace convoy::outline
