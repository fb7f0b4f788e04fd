// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the passes of the C backend, which Passes.td describes.

#pragma once

#include "Codegen/C/Options.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace convoy::codegen {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "Codegen/C/Passes.h.inc"

/// Adds the passes before printing, including the check of the contract.
void addSourcePasses(mlir::OpPassManager &passes);

} // namespace convoy::codegen
