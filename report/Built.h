// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes the compiled model of a verb as JSON.

#pragma once

#include "convoy/artefact.h"
#include "llvm/Support/JSON.h"

namespace convoy::report {

/// Returns target, hash of code and weights, threads, tuned kernels, configurations and, for
/// a device, the placement.
llvm::json::Object builtToJson(const CompileSummary &summary);

} // namespace convoy::report
