// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which layer of a device's regions is wrong. Each runs alone on the device's simulator,
// on what the reference gives it; then each region as a whole.

#pragma once

#include "Accelerators/Accelerator.h"
#include "check/locate/Fault.h"

namespace convoy::check {

/// Without a wrong layer or region the fault is outside of them, which a note says.
Fault locateDeviceFault(const WrongModel &wrong, const accelerators::Accelerator &device);

} // namespace convoy::check
