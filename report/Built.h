// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes a compiled model as a JSON object. `run`, `check` and `bench` print the same object.

#pragma once

#include "convoy/artifact.h"
#include "llvm/Support/JSON.h"

namespace convoy::report {

/// Returns target, hash of code and weights, threads, tuned kernels, configurations and, for
/// a device, the placement.
llvm::json::Object builtToJson(const CompileReport &report);

} // namespace convoy::report
