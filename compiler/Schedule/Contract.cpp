// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the contract of the schedule stage. Codegen may assume:
//
//   [schedule.1] No worker waits forever. The workers of rounds or of a loop begin them together.
//   [schedule.2] Only the worker of a flag posts to it, with increasing counts.
//   [schedule.3] If two workers access the same bytes and one of them writes, waits order the
//                accesses, unless both are parts of one share or of the same rounds, or are on
//                different sides of the same condition. This includes the next iteration of a loop.
//   [schedule.4] When worker 0 ends, all workers have ended and their writes are visible.
//   [schedule.5] Only the parts of a share use its words, only the parts of rounds use their flags,
//                and each part occurs once.
//   [schedule.6] In a loop of several workers, counts are relative to a base that grows by the
//                counts of an iteration. Each worker clears the word of its part of a share in each
//                iteration, after all workers have left the share.

#include "Schedule/MacroTasks.h"
#include "Schedule/Passes.h"
#include "Schedule/Schedule.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace convoy::schedule {
#define GEN_PASS_DEF_CHECKSCHEDULECONTRACTPASS
#include "Schedule/Passes.h.inc"

namespace {

struct CheckScheduleContract : impl::CheckScheduleContractPassBase<CheckScheduleContract> {
  void runOnOperation() override {
    KernelTable kernels(getOperation());
    getOperation().walk([&](task::ParallelOp region) {
      SmallVector<func::FuncOp> workers;
      for (Attribute name : region.getWorkers()) {
        workers.push_back(
            getOperation().lookupSymbol<func::FuncOp>(cast<FlatSymbolRefAttr>(name).getAttr()));
      }
      if (failed(checkWorkers(workers, kernels, kMostSides))) {
        signalPassFailure();
      }
    });
    markAllAnalysesPreserved();
  }
};

} // namespace

void addScheduleContract(OpPassManager &passes) {
  passes.addPass(createCheckScheduleContractPass());
}

} // namespace convoy::schedule
