// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of NVDLA's compiler; Passes.td describes each one.

#pragma once

#include "Accelerators/NVDLA/Compile/Options.h"
#include "Accelerators/NVDLA/Dialect/Nvdla.h"
#include "Graph/Graph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace convoy::nvdla {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "Accelerators/NVDLA/Compile/Passes.h.inc"

/// Adds the passes in order. `config` is the name of the target with its settings.
void addNvdlaPasses(mlir::OpPassManager &passes, llvm::StringRef config);

} // namespace convoy::nvdla
