// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts the placement of a model on a device to JSON for compile, run, check, bench and
// explain.

#pragma once

#include "convoy/artifact.h"
#include "llvm/Support/JSON.h"

namespace convoy::report {

/// Returns counts, estimates in nanoseconds, and the reason of ops that stay on the CPU.
llvm::json::Object placementToJson(const PlacementSummary &placement);

} // namespace convoy::report
