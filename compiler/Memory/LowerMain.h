// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers @main from tensors to memory after the storage of each tensor is known.

#pragma once

#include "Memory/Storage.h"

namespace convoy::memory {

/// Replaces @main by a function on flat memory. Emits an error at control flow that the CPU
/// cannot run yet, and fails.
mlir::LogicalResult lowerMain(mlir::func::FuncOp main, const StorageMap &storages);

} // namespace convoy::memory
