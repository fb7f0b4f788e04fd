// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the passes of the fusion stage, which Passes.td describes.

#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace convoy::fusion {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "Fusion/Passes.h.inc"

/// Adds the stage's passes in order.
void addFusionPasses(mlir::OpPassManager &passes);

/// Adds the check of the properties that Layout and Tasks may assume.
void addFusionContract(mlir::OpPassManager &passes);

} // namespace convoy::fusion
