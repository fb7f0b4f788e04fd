// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds the passes of the LLVM backend in order.

#include "Codegen/LLVM/Passes.h"
#include "Codegen/LLVM/HalfPatterns.h"
#include "Codegen/LLVM/ModelInterface.h"
#include "Task/Task.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Pass/PassManager.h"

namespace convoy::codegen {

void addCodegenPasses(mlir::OpPassManager &passes, const CodegenOptions &options) {
  passes.addNestedPass<task::KernelOp>(
      createLowerVectorsPass({!hasHalfConversions(options.target)}));
  passes.addPass(mlir::createConvertSCFToCFPass());
  passes.addPass(createLowerToLLVMPass({options.model}));
  passes.addPass(createInsertReloadsPass({options.model}));
  if (options.hasProbes) {
    passes.addPass(createInsertProbesPass({options.model, options.hasWaitProbes}));
  }
  passes.addPass(createInsertRegionPass({options.model}));
  passes.addPass(createInsertEntryPass({options.model, options.weights == WeightsPlace::File}));
  if (options.hasLineInfo) {
    // Runs last, because the ops must be in their final positions.
    passes.addPass(createInsertLineInfoPass({options.model}));
  }
}

void addCodegenContract(mlir::OpPassManager &passes) {
  passes.addPass(createCheckCodegenContractPass());
}

llvm::Error lowerModule(mlir::ModuleOp module, const CodegenOptions &options) {
  if (module->hasAttr(kModelAttr)) {
    return llvm::Error::success();
  }
  if (llvm::Error error = checkModelName(options.model)) {
    return error;
  }
  if (llvm::Error error = checkCustomFunctions(module, options.model)) {
    return error;
  }
  mlir::PassManager passes(module.getContext());
  passes.enableVerifier(options.verifyPasses);
  addCodegenPasses(passes, options);
  if (failed(passes.run(module))) {
    return llvm::createStringError("the codegen stage failed; see the diagnostics");
  }
  return llvm::Error::success();
}

} // namespace convoy::codegen
