// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes the SHA-256 of a library. Libraries contain the weights of their task, so a build
// process hashes about 1 MB for each candidate. The instructions of x86 take a tenth of the time of
// LLVM's implementation.

#pragma once

#include "llvm/ADT/StringRef.h"
#include <string>

namespace convoy::tuning {

/// Returns the SHA-256 in lower-case hexadecimal.
std::string fastSha256(llvm::StringRef bytes);

/// Returns the SHA-256 of a file, or nothing if the file cannot be read.
std::string hashOfFile(llvm::StringRef path);

} // namespace convoy::tuning
