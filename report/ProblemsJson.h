// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The problems of a verb as JSON.

#pragma once

#include "convoy/result.h"
#include "llvm/Support/JSON.h"

namespace convoy::report {

/// Returns the texts of all warnings, for the key "warnings" of JSON output.
llvm::json::Array warningsToJson(const Problems &problems);

/// Returns all problems of a failed verb with their kinds, for the key "problems" of JSON output.
llvm::json::Array problemsToJson(const Problems &problems);

} // namespace convoy::report
