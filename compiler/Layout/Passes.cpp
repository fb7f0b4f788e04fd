// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of the layout stage.

#include "Layout/Passes.h"
#include "mlir/Pass/PassManager.h"

namespace convoy::layout {

void addLayoutPasses(mlir::OpPassManager &passes) {
  passes.addNestedPass<mlir::func::FuncOp>(createCheckPlanarPass());
}

} // namespace convoy::layout
