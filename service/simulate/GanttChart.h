// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Draws a simulation as SVG: the jobs with their waiting times, and the items on each slot of each
// resource. A color is a job. Red frames mark lost items.

#pragma once

#include "service/simulate/Simulation.h"
#include "llvm/Support/raw_ostream.h"

namespace convoy::service {

/// Writes the <svg> element. The result was made with keepsSpans.
void writeGantt(llvm::raw_ostream &os, const Load &load, const SimulationResult &result,
                const std::string &title);

} // namespace convoy::service
