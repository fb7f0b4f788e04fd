// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds the passes of the C backend in order.

#include "Codegen/C/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace convoy::codegen {

void addSourcePasses(OpPassManager &passes) {
  passes.addNestedPass<func::FuncOp>(createLowerForSourcePass());
  // C compilers would fold this too; folding here makes the text readable.
  passes.addNestedPass<func::FuncOp>(createCanonicalizerPass());
  passes.addNestedPass<func::FuncOp>(createCSEPass());
  passes.addPass(createCheckSourceContractPass());
}

} // namespace convoy::codegen
