// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// <model>_init: the programs of a model, loaded onto the caller's device.

#pragma once

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

namespace convoy::codegen {

/// Where each program lies in the weights.
struct ProgramPlace {
  int64_t offset;
  int64_t bytes;
};

/// The places of all programs of a module, in the order in which task.offload counts
/// them; empty when no device is used.
llvm::SmallVector<ProgramPlace> programPlaces(mlir::ModuleOp module);

/// The records of loaded programs (convoy_loaded), one for each; made if there is none.
mlir::LLVM::GlobalOp declarePrograms(mlir::ModuleOp module, llvm::StringRef model,
                                     mlir::OpBuilder &builder);

/// Adds <model>_init when the module has programs. `weights` gives their address at the
/// builder's place.
void insertInit(mlir::ModuleOp module, llvm::StringRef model,
                llvm::function_ref<mlir::Value(mlir::OpBuilder &)> weights);

} // namespace convoy::codegen
