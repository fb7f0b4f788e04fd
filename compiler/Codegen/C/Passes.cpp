// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of the C exit.

#include "Codegen/C/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace convoy::codegen {

void addSourcePasses(OpPassManager &passes) {
  passes.addNestedPass<func::FuncOp>(createLowerForSourcePass());
  // What folds here the compilers would fold too; the text is for people.
  passes.addNestedPass<func::FuncOp>(createCanonicalizerPass());
  passes.addNestedPass<func::FuncOp>(createCSEPass());
  passes.addPass(createCheckSourceContractPass());
}

} // namespace convoy::codegen
