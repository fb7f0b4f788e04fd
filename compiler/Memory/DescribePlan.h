// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes the storages of @main as a memory plan. convoy-memory-plan-arena calls it before it
// lowers @main, because only the storages know which tensor a byte of the arena belongs to.

#pragma once

#include "Memory/MemoryPlan.h"
#include "Memory/Storage.h"

namespace convoy::memory {

/// Returns the plan of @main on tensors. The storages have their offsets.
MemoryPlan describePlan(mlir::func::FuncOp main, const StorageMap &storages);

} // namespace convoy::memory
