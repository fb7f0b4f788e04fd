// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of the C exit; Passes.td says what each takes and gives.

#pragma once

#include "Codegen/C/Options.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace convoy::codegen {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "Codegen/C/Passes.h.inc"

/// Adds what comes before printing, its check included.
void addSourcePasses(mlir::OpPassManager &passes);

} // namespace convoy::codegen
