// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a verb built, for programs.

#pragma once

#include "convoy/artefact.h"
#include "llvm/Support/JSON.h"

namespace convoy::report {

/// Target, hash of code and weights, threads, tuned kernels and configurations.
llvm::json::Object builtToJson(const CompileSummary &summary);

} // namespace convoy::report
