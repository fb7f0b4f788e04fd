// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Kernels and Memory may assume after Tasks: no graph.kernel is left, so
// every computation is a function that can be lowered on its own.

#include "Graph/Graph.h"
#include "Tasks/Passes.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace convoy::tasks {
namespace {

struct CheckSplit : PassWrapper<CheckSplit, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CheckSplit)
  StringRef getName() const override { return "convoy-tasks-check-contract"; }

  void runOnOperation() override {
    getOperation().walk([&](graph::KernelOp kernel) {
      kernel.emitOpError("is left after tasks were split");
      signalPassFailure();
    });
  }
};

} // namespace

void addTasksContract(OpPassManager &passes) { passes.addPass(std::make_unique<CheckSplit>()); }

} // namespace convoy::tasks
