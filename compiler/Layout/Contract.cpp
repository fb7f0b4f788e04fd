// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Tasks, Kernels and Memory may assume after Layout: only kernels and
// reorders see tensors that are not planar, and a kernel's types agree inside
// and outside.

#include "Layout/Passes.h"
#include "mlir/Pass/PassManager.h"

namespace convoy::layout {

void addLayoutContract(mlir::OpPassManager &passes) {
  passes.addNestedPass<mlir::func::FuncOp>(createCheckLayoutsPass());
}

} // namespace convoy::layout
