// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Holds the diagnostics of a part of the import that may be repeated or replaced.

#pragma once

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <vector>

namespace convoy::import {

/// Runs `fn` and returns the diagnostics that it emits instead of reporting
/// them.
std::vector<mlir::Diagnostic> capture(mlir::MLIRContext *context, llvm::function_ref<void()> fn);

/// Reports held diagnostics.
void release(mlir::MLIRContext *context, std::vector<mlir::Diagnostic> held);

} // namespace convoy::import
