// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of the memory stage.

#include "Memory/Passes.h"
#include "mlir/Pass/PassManager.h"

namespace convoy::memory {

void addMemoryPasses(mlir::OpPassManager &passes, const MemoryOptions &options) {
  passes.addPass(createPlanArenaPass({options.reuse}));
}

} // namespace convoy::memory
