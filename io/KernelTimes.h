// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measured times of kernels, for the schedule: what `convoy bench --layers --json`
// wrote of the same model.

#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <map>
#include <string>

namespace convoy::io {

/// Nanoseconds of each kernel, by name; the mean of its layers.
llvm::Expected<std::map<std::string, double>> readKernelTimes(llvm::StringRef path);

} // namespace convoy::io
