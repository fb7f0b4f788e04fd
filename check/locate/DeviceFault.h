// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locates the wrong layer in the regions of a device, and the wrong one of the device's passes.
// Each layer runs alone on the device's simulator, on the inputs that the reference computes. Then
// each region runs as a whole.

#pragma once

#include "Accelerators/Accelerator.h"
#include "check/locate/Fault.h"

namespace convoy::check {

/// If every layer and region is right, the result has no op, and its note says so.
Fault locateDeviceFault(const WrongModel &wrong, const accelerators::Accelerator &device);

} // namespace convoy::check
