// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass order of the layout stage.

#include "Layout/Passes.h"
#include "mlir/Pass/PassManager.h"

namespace convoy::layout {

void addLayoutPasses(mlir::OpPassManager &passes, const LayoutOptions &options) {
  if (options.recordsReasons) {
    passes.addPass(
        createInsertReasonsPass({options.isStrictMath, options.measurements != nullptr}));
  }
  if (options.measurements) {
    passes.addPass(
        createInsertMeasuredPass(options.measurements, {options.isStrictMath, options.threads}));
  }
  passes.addNestedPass<mlir::func::FuncOp>(createFoldRoundingsPass());
  passes.addNestedPass<mlir::func::FuncOp>(createFoldZeroPointsPass());
  passes.addNestedPass<mlir::func::FuncOp>(
      createChooseLayoutsPass({options.isStrictMath, options.weightLimit}));
  // Before concatenations, whose operands must not become views afterwards.
  passes.addNestedPass<mlir::func::FuncOp>(createCancelTransposesPass());
  passes.addNestedPass<mlir::func::FuncOp>(createCancelConcatsPass());
}

} // namespace convoy::layout
