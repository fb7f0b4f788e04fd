// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The contract of the layout stage, on which Tasks, Kernels and Memory rely: only kernels, reorders
// and concatenations use tensors that are not planar, and the types of a kernel agree with the
// types in its body.

#include "Layout/Passes.h"
#include "mlir/Pass/PassManager.h"

namespace convoy::layout {

void addLayoutContract(mlir::OpPassManager &passes) {
  passes.addNestedPass<mlir::func::FuncOp>(createCheckLayoutsPass());
}

} // namespace convoy::layout
