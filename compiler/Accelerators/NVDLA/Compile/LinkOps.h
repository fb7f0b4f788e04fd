// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who waits for whom: the dependency descriptors of a task.

#pragma once

#include "Accelerators/NVDLA/Compile/EmitLoadable.h"

namespace convoy::nvdla {

/// Groups run in their order, each when the one before it is complete; operations of an
/// engine are a chain, as the firmware wants it.
void linkOps(DlaTask &task, llvm::ArrayRef<EmittedGroup> groups);

} // namespace convoy::nvdla
