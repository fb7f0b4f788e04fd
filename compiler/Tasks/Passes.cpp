// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of the tasks stage.

#include "Tasks/Passes.h"
#include "mlir/Pass/PassManager.h"

namespace convoy::tasks {

void addTasksPasses(mlir::OpPassManager &passes) { passes.addPass(createSplitKernelsPass()); }

} // namespace convoy::tasks
