// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The digest at the end of libraries and weights files (runtime/load/digest.h).

#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace convoy::codegen {

/// Appends the digest of the file's bytes. `hash` is the hash of the model. Errors name the path
/// `shown`.
llvm::Error appendDigest(llvm::StringRef path, llvm::StringRef shown, const std::string &hash);

} // namespace convoy::codegen
