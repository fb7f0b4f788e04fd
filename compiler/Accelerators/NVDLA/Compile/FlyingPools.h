// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides which pools PDP computes on the fly. Two passes need the decision: one marks these pools,
// and the choice of Winograd mode weighs them, because PDP cannot read tiles on the fly.

#pragma once

#include "Accelerators/NVDLA/Compile/Options.h"
#include "Accelerators/NVDLA/Dialect/Nvdla.h"

namespace convoy::nvdla {

/// Returns whether SDP can pass its result to PDP on the fly: one job writes the whole cube, and
/// the partial results of one output row fit in PDP's line buffer.
bool canFly(PdpOp pdp, const NvdlaOptions &options);

} // namespace convoy::nvdla
