// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The simulated device with the host driver in front of it.

#pragma once

#include "Accelerators/NVDLA/Simulator/HardwareConfig.h"
#include "Accelerators/Simulator.h"
#include <memory>

namespace convoy::nvdla {

std::unique_ptr<accelerators::Simulator> createSimulator(const HardwareConfig &config);

} // namespace convoy::nvdla
