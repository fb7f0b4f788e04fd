// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of all stages from the description of a machine.

#pragma once

#include "Accelerators/Accelerator.h"
#include "Pipeline/Pipeline.h"
#include "Targets/Target.h"

namespace convoy {

/// What cost models know of the target.
kernels::Machine machineOf(const targets::Target &target);

/// The options of all stages for a machine; 0 threads are one for each core.
StageOptions optionsFor(const targets::Target &target, int64_t threads);

/// Gives a device what it can run, and writes integer layers in its arithmetic.
void placeOn(const accelerators::Accelerator &device, StageOptions &options);

/// Leaves out instructions that only LLVM can name, for code that is written as source.
void leaveOutIntrinsics(StageOptions &options);

} // namespace convoy
