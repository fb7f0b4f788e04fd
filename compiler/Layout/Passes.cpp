// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass order of the layout stage.

#include "Layout/Passes.h"
#include "Kernels/DotProduct.h"
#include "mlir/Pass/PassManager.h"

namespace convoy::layout {

void addLayoutPasses(mlir::OpPassManager &passes, const LayoutOptions &options) {
  const kernels::Machine &machine = options.machine;
  if (options.measurements) {
    passes.addPass(
        createInsertMeasuredPass(options.measurements, {options.isStrictMath, options.threads}));
  }
  passes.addNestedPass<mlir::func::FuncOp>(createFoldRoundingsPass());
  passes.addNestedPass<mlir::func::FuncOp>(createChooseLayoutsPass(
      {machine.vectorBytes, machine.vectorRegisters, machine.fmaPorts, machine.hasScalarOperands,
       machine.firstCacheBytes, machine.secondCacheBytes, kernels::nameOf(machine.dot).str(),
       machine.hasTiles, options.isStrictMath}));
  passes.addNestedPass<mlir::func::FuncOp>(createCancelConcatsPass());
}

} // namespace convoy::layout
