// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds the passes of the memory stage in order.

#include "Memory/Passes.h"
#include "mlir/Pass/PassManager.h"

namespace convoy::memory {

void addMemoryPasses(mlir::OpPassManager &passes, const MemoryOptions &options) {
  passes.addPass(createPlanArenaPass({options.reuse}));
}

} // namespace convoy::memory
