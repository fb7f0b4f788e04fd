// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Tasks and Memory may assume after Layout: no encoding is left, since they
// take a tensor type for its bytes.

#include "Layout/Passes.h"
#include "mlir/Pass/PassManager.h"

namespace convoy::layout {

void addLayoutContract(mlir::OpPassManager &passes) {
  passes.addNestedPass<mlir::func::FuncOp>(createCheckPlanarPass());
}

} // namespace convoy::layout
