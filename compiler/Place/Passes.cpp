// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of the place stage.

#include "Place/Passes.h"
#include "mlir/Pass/PassManager.h"

namespace convoy::place {

void addPlacePasses(mlir::OpPassManager &passes, const PlaceOptions &options) {
  if (!options.device.empty()) {
    passes.addNestedPass<mlir::func::FuncOp>(
        createSplitRegionsPass({options.device, options.policy}));
  }
  passes.addPass(createCheckCpuPass());
}

} // namespace convoy::place
