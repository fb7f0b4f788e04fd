// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of the device stage; Passes.td describes each one.

#pragma once

#include "ConvCore/ConvCore.h"
#include "Graph/Graph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace convoy::accelerators {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "Accelerators/Passes.h.inc"

/// Adds the stage's passes in order.
void addDevicePasses(mlir::OpPassManager &passes);

/// Adds the check of what later stages may assume.
void addDeviceContract(mlir::OpPassManager &passes);

} // namespace convoy::accelerators
