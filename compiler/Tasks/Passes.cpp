// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of the tasks stage, and of the schedule that follows Memory: a piece of
// a kernel's range can be placed only when the range and the bytes are known.

#include "Tasks/Passes.h"
#include "mlir/Pass/PassManager.h"

namespace convoy::tasks {

void addTasksPasses(mlir::OpPassManager &passes) { passes.addPass(createSplitKernelsPass()); }

void addSchedulePasses(mlir::OpPassManager &passes, const TasksOptions &options) {
  if (options.threads > 1) {
    passes.addPass(createPlanWorkersPass(
        {options.threads, options.grainNs, options.scheduler, options.report}));
  }
}

} // namespace convoy::tasks
