// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds the passes of the tasks stage in order.

#include "Outline/Passes.h"
#include "mlir/Pass/PassManager.h"

namespace convoy::outline {

void addOutlinePasses(mlir::OpPassManager &passes, const OutlineOptions &options) {
  passes.addPass(createSplitKernelsPass({options.hasProbes}));
  if (options.isIoInArena) {
    passes.addPass(createChooseIoPass({options.areInputsByRows}));
  }
}

} // namespace convoy::outline
