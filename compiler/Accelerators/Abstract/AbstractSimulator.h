// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The simulator of runtime/abstract as a device of the compiler.

#pragma once

#include "Accelerators/Abstract/Parameters.h"
#include "Accelerators/Simulator.h"
#include <memory>

namespace convoy::abstract {

std::unique_ptr<accelerators::Simulator> createSimulator(const Parameters &parameters);

} // namespace convoy::abstract
