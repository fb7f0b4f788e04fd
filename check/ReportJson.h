// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts the report of a check to JSON, for `convoy check` and for Python.

#pragma once

#include "check/CheckModel.h"
#include "llvm/Support/JSON.h"

namespace convoy::check {

/// Returns what the outputs were compared with: "the golden data" or "the reference".
llvm::StringRef baselineOf(bool isGolden);

/// Returns the report of the named model. `hasLayers` adds the comparison of integer layers.
llvm::json::Object toJson(const CheckReport &report, llvm::StringRef model, bool isGolden,
                          bool hasLayers);

} // namespace convoy::check
