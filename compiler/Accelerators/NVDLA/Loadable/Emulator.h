// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the operations of the runtime's emulator on the host: power and softmax.

#pragma once

#include "Accelerators/NVDLA/Loadable/DecodeDescriptors.h"
#include "Accelerators/NVDLA/Simulator/Engines.h"

namespace convoy::nvdla {

llvm::Error runEmulatorOp(const EmulatorOp &op, Places places, const Machine &machine);

} // namespace convoy::nvdla
