// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Kernels and Memory may assume after Tasks: no graph.kernel is left, so
// every computation is a function that can be lowered on its own.

#include "Graph/Graph.h"
#include "Tasks/Passes.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace convoy::tasks {
#define GEN_PASS_DEF_CHECKTASKSCONTRACTPASS
#include "Tasks/Passes.h.inc"

namespace {

struct CheckTasksContract : impl::CheckTasksContractPassBase<CheckTasksContract> {
  void runOnOperation() override {
    getOperation().walk([&](graph::KernelOp kernel) {
      kernel.emitOpError("is left after tasks were split");
      signalPassFailure();
    });
  }
};

} // namespace

void addTasksContract(OpPassManager &passes) { passes.addPass(createCheckTasksContractPass()); }

} // namespace convoy::tasks
