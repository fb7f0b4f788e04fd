// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds the passes of the fusion stage in order.

#include "Fusion/Passes.h"
#include "Kernels/Passes.h"
#include "mlir/Pass/PassManager.h"

namespace convoy::fusion {

void addFusionPasses(mlir::OpPassManager &passes, const FusionOptions &options) {
  passes.addPass(kernels::createInsertMachinePass(options.machine));
  // Runs first, so that the other passes see floats that the templates support.
  passes.addNestedPass<mlir::func::FuncOp>(
      createLowerNarrowFloatsPass(LowerNarrowFloatsPassOptions{options.convertsHalves}));
  passes.addNestedPass<mlir::func::FuncOp>(createFoldPackedPass());
  passes.addNestedPass<mlir::func::FuncOp>(
      createFuseGroupsPass(FuseGroupsPassOptions{options.isStrictMath}));
  passes.addNestedPass<mlir::func::FuncOp>(createFuseScansPass());
  passes.addNestedPass<mlir::func::FuncOp>(
      createFuseAttentionPass(FuseAttentionPassOptions{options.isStrictMath}));
  FuseRowsPassOptions rows;
  rows.isStrictMath = options.isStrictMath;
  passes.addNestedPass<mlir::func::FuncOp>(createFuseRowsPass(rows));
  passes.addNestedPass<mlir::func::FuncOp>(createFuseInterleavesPass());
  passes.addNestedPass<mlir::func::FuncOp>(createFuseKernelsPass());
}

} // namespace convoy::fusion
