// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order in which the firmware runs a task's operations. It follows dependency counts and
// consumers, with two operations per engine in flight (ping-pong).

#pragma once

#include "Accelerators/NVDLA/Loadable/Tasks.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace convoy::nvdla {

/// Operations that run as one group: CONV, then SDP, then PDP. Most groups have one operation.
using FusedOps = std::vector<size_t>;

/// Calls `run` for each group in the firmware's order. Fails if `run` fails, if a dependency count
/// becomes negative, or if an operation never starts.
llvm::Error scheduleTask(const DlaTask &task,
                         llvm::function_ref<llvm::Error(const FusedOps &)> run);

} // namespace convoy::nvdla
