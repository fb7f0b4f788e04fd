// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fills in the dependency descriptors of a task.

#pragma once

#include "Accelerators/NVDLA/Compile/EmitLoadable.h"

namespace convoy::nvdla {

/// Links the operations of each engine to a chain in the order of groups, as the firmware requires.
/// In addition, a group waits for the groups that wrote what it reads and for groups of other
/// engines whose memory it overwrites. Independent groups may run in parallel.
void linkOps(DlaTask &task, llvm::ArrayRef<EmittedGroup> groups, const HardwareConfig &config);

} // namespace convoy::nvdla
