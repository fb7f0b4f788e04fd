// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of the LLVM exit; Passes.td says what each takes and gives.

#pragma once

#include "Codegen/LLVM/Options.h"
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

/// Adds the check of what the stage promises to object emission.
void addCodegenContract(mlir::OpPassManager &passes);

/// Runs the stage on a module in planned memory; does nothing to one that has
/// been through it. Problems are diagnostics too.
llvm::Error lowerModule(mlir::ModuleOp module, const CodegenOptions &options);

} // namespace convoy::codegen
