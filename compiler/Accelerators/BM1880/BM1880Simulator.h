// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the text of a program bit-exactly, one instruction after the other.

#pragma once

#include "Accelerators/Simulator.h"
#include <memory>

namespace convoy::bm1880 {

std::unique_ptr<accelerators::Simulator> createSimulator();

} // namespace convoy::bm1880
