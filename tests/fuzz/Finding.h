// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports violated guarantees.

#pragma once

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

namespace convoy::fuzz {

/// Reports a violated guarantee of the compiler as a finding.
[[noreturn]] void reportFinding(const llvm::Twine &what);

/// Consumes an error. An error without a text is a finding.
void expectText(llvm::Error error);

/// Reports a finding unless two texts are equal: what a reader read, and what it reads from its own
/// output.
void expectEqual(llvm::StringRef first, llvm::StringRef second, llvm::StringRef what);

} // namespace convoy::fuzz
