// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints how much of a model runs in generic loops, for compile and explain.

#pragma once

#include "convoy/artifact.h"
#include "llvm/Support/JSON.h"

namespace convoy::report {

/// Returns "3 of 40 kernels are generic loops, 12.3 % of the predicted time".
std::string loopsText(const GenericLoops &loops);

/// Returns counts, and times in nanoseconds.
llvm::json::Object loopsToJson(const GenericLoops &loops);

} // namespace convoy::report
