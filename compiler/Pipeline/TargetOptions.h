// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes the options of all stages from the description of a machine.

#pragma once

#include "Accelerators/Accelerator.h"
#include "Pipeline/Pipeline.h"
#include "Targets/Target.h"

namespace convoy {

/// Returns the properties of the target that cost models and emitters use. No other function
/// derives them.
kernels::Machine machineOf(const targets::Target &target);

/// Returns the 8-bit type of activations that the integer templates of the machine read: byte ops
/// read I8 only, and a dot product of another sign than its input costs a conversion.
ElementType activationType(const kernels::Machine &machine);

/// Returns the options of all stages for a machine. If `threads` is 0, the code uses one
/// thread per core.
StageOptions optionsFor(const targets::Target &target, int64_t threads);

/// Returns whether the generated code converts vectors of f16 to f32 with few instructions. Emitted
/// C does on all targets except microcontrollers.
bool convertsHalves(const StageOptions &options);

/// Places the ops that the device supports on the device, and selects its integer arithmetic.
void placeOn(const accelerators::Accelerator &device, StageOptions &options);

/// Disables instructions that C source cannot use. Multiply ops and tile registers have bodies for
/// vector types only, so source with loops over lanes has none.
void setSourceInstructions(StageOptions &options, bool hasVectorTypes);

} // namespace convoy
