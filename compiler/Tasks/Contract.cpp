// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The contracts of the tasks and schedule stages. After the tasks stage, Kernels and Memory may
// assume that no graph.kernel remains, so every computation is a function that can be lowered
// separately. After the schedule stage, Codegen may assume:
//
//   [schedule.1] No worker waits forever.
//   [schedule.2] Only the worker of a flag posts to it, with increasing counts.
//   [schedule.3] If two workers access the same bytes and one of them writes, waits order the
//                accesses, unless both are parts of one share.
//   [schedule.4] When worker 0 ends, all workers have ended and their writes are visible.
//   [schedule.5] Only the parts of a share use its words, and each part occurs once.

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
      kernel.emitOpError("remains after the tasks stage; run convoy-tasks-split-kernels");
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
