// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `convoy bench` with a device: its layers in the time of its simulator, which is not
// measured, and the CPU's part, which is.

#pragma once

#include "Accelerators/Accelerator.h"
#include "Verbs.h"

namespace convoy::driver {

ExitCode benchDevice(const BenchOptions &options, const accelerators::Accelerator &device,
                     Console &console);

} // namespace convoy::driver
