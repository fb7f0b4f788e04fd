// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order in which the firmware runs a task's operations: dependency counts, consumers, and two
// operations per engine on their way (ping-pong).

#pragma once

#include "Accelerators/NVDLA/Loadable/Tasks.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace convoy::nvdla {

/// Operations that run as one, first CONV, then SDP, then PDP; most are alone.
using FusedOps = std::vector<size_t>;

/// Calls `run` for each group in the firmware's order. Fails when `run` does, when a count goes
/// below zero, and when operations remain that nothing starts.
llvm::Error scheduleTask(const DlaTask &task,
                         llvm::function_ref<llvm::Error(const FusedOps &)> run);

} // namespace convoy::nvdla
