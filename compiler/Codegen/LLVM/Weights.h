// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The weights of a model, as the memory stage placed them: constants at offsets.

#pragma once

#include "Support/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace convoy::codegen {

/// Calls `place` with each constant and its offset, in ascending offsets that do
/// not overlap. Constants are views of mapped or shared bytes where they can be:
/// one at a time is in memory.
llvm::Error forEachWeight(mlir::ModuleOp module,
                          llvm::function_ref<llvm::Error(int64_t offset, const Tensor &)> place);

} // namespace convoy::codegen
