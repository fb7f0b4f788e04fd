// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds <model>_init, which loads the programs of a model onto the caller's device.

#pragma once

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

namespace convoy::codegen {

/// The position of a program in the weights.
struct ProgramPlace {
  int64_t offset;
  int64_t bytes;
};

/// Returns the positions of all programs of a module, in the order of the indices in
/// task.offload. Empty if the module uses no device.
llvm::SmallVector<ProgramPlace> programPlaces(mlir::ModuleOp module);

/// Returns the array of loaded programs (convoy_loaded_program), one per program. Creates it if it
/// does not exist.
mlir::LLVM::GlobalOp declarePrograms(mlir::ModuleOp module, llvm::StringRef model,
                                     mlir::OpBuilder &builder);

/// Adds <model>_init if the module has programs. `weights` returns the address of the weights
/// at the builder's insertion point.
void insertInit(mlir::ModuleOp module, llvm::StringRef model,
                llvm::function_ref<mlir::Value(mlir::OpBuilder &)> weights);

} // namespace convoy::codegen
