// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads measured kernel times for the schedule, as `convoy bench --layers --json` writes them
// for the same model.

#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <map>
#include <string>

namespace convoy::io {

/// Returns the time of each kernel in nanoseconds, by name. If several layers have the same
/// kernel, it returns their mean.
llvm::Expected<std::map<std::string, double>> readKernelTimes(llvm::StringRef path);

} // namespace convoy::io
