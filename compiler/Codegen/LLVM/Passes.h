// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the passes of the LLVM backend, which Passes.td describes.

#pragma once

#include "Codegen/LLVM/Options.h"
#include "Task/Task.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace convoy::codegen {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "Codegen/LLVM/Passes.h.inc"

/// Adds the stage's passes in order.
void addCodegenPasses(mlir::OpPassManager &passes, const CodegenOptions &options);

/// Adds the check of the properties that object emission assumes.
void addCodegenContract(mlir::OpPassManager &passes);

/// Runs the stage on a module in planned memory. Does nothing if the stage has already run.
/// Errors are also diagnostics.
llvm::Error lowerModule(mlir::ModuleOp module, const CodegenOptions &options);

} // namespace convoy::codegen
