// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Kernels and Memory may assume after Tasks: no graph.kernel is left, so
// every computation is a function that can be lowered on its own. And what Codegen
// may assume after the schedule:
//
//   [schedule.1] No worker waits for ever.
//   [schedule.2] A flag is posted by its own worker alone, and only grows.
//   [schedule.3] When two workers touch the same bytes and one of them writes, waits
//                put them in order, unless they share one kernel's range.
//   [schedule.4] When worker 0 is done, so are all, visibly.
//   [schedule.5] The words of a share are taken by its parts alone, each part once.

#include "Graph/Graph.h"
#include "Tasks/Passes.h"
#include "Tasks/Schedule.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace convoy::tasks {
#define GEN_PASS_DEF_CHECKSCHEDULECONTRACTPASS
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

struct CheckScheduleContract : impl::CheckScheduleContractPassBase<CheckScheduleContract> {
  void runOnOperation() override {
    KernelTable kernels(getOperation());
    getOperation().walk([&](task::ParallelOp region) {
      SmallVector<func::FuncOp> workers;
      for (Attribute name : region.getWorkers()) {
        workers.push_back(
            getOperation().lookupSymbol<func::FuncOp>(cast<FlatSymbolRefAttr>(name).getAttr()));
      }
      if (failed(checkWorkers(workers, kernels))) {
        signalPassFailure();
      }
    });
    markAllAnalysesPreserved();
  }
};

} // namespace

void addTasksContract(OpPassManager &passes) { passes.addPass(createCheckTasksContractPass()); }

void addScheduleContract(OpPassManager &passes) {
  passes.addPass(createCheckScheduleContractPass());
}

} // namespace convoy::tasks
