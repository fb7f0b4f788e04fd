// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who waits for whom: the dependency descriptors of a task.

#pragma once

#include "Accelerators/NVDLA/Compile/EmitLoadable.h"

namespace convoy::nvdla {

/// Operations of an engine are a chain, in the order of groups, as the firmware wants it.
/// Beyond that a group waits for those that wrote what it reads, and for those of other
/// engines whose memory it writes; others may run beside it.
void linkOps(DlaTask &task, llvm::ArrayRef<EmittedGroup> groups, const HardwareConfig &config);

} // namespace convoy::nvdla
