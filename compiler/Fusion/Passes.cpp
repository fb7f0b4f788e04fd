// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of the fusion stage.

#include "Fusion/Passes.h"
#include "mlir/Pass/PassManager.h"

namespace convoy::fusion {

void addFusionPasses(mlir::OpPassManager &passes) {
  passes.addNestedPass<mlir::func::FuncOp>(createFuseKernelsPass());
}

} // namespace convoy::fusion
