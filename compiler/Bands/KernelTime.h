// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Estimates the time of a lowered kernel over its whole range. The bands stage weighs bands with
// it, and the schedule stage uses it for kernels without a measured time.

#pragma once

#include "Task/Task.h"

namespace convoy::bands {

/// Returns the maximum of the computation time and the time of the memory traffic, for `runs` runs.
/// The first of several runs in a loop leaves small weights in the cache.
double estimateNs(task::KernelOp kernel, double runs = 1);

/// Returns the computation time with all memory in the first-level cache.
double estimateComputeNs(task::KernelOp kernel);

} // namespace convoy::bands
