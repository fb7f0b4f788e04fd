// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accepts the names of verbs, flags and values that earlier versions had. The table of options
// lists them; version 0.4 removes them.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include <string>
#include <vector>

namespace convoy::tool {

/// Replaces old names in a command line by the names of today. Returns one warning per old name.
std::vector<std::string> replaceOldNames(std::vector<std::string> &arguments);

/// Returns the warning for an old form: "warning: --plant is deprecated and ends with version 0.4;
/// write --inject".
std::string deprecation(const std::string &was, const std::string &now);

} // namespace convoy::tool
