// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// @main from tensors to memory, once every storage is known.

#pragma once

#include "Memory/Storage.h"

namespace convoy::memory {

/// Replaces @main by a function on flat memory. Fails, with an error at the op,
/// where control flow has no form on the CPU yet.
mlir::LogicalResult lowerMain(mlir::func::FuncOp main, const StorageMap &storages);

} // namespace convoy::memory
