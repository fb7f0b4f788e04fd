// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of the place stage; Passes.td says what each takes and gives.

#pragma once

#include "mlir/Pass/Pass.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace convoy::place {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "Place/Passes.h.inc"

/// Adds the stage's passes in order.
void addPlacePasses(mlir::OpPassManager &passes);

/// The CPU is the only place so far: nothing to check beyond the pass itself.
void addPlaceContract(mlir::OpPassManager &passes);

} // namespace convoy::place
