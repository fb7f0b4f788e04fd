// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Spelling suggestions for names that a user typed: flags, verbs, targets.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace convoy {

/// Returns the name that `typed` most likely means: a name that begins with `typed`, or the name
/// at the smallest edit distance. Returns an empty text if no name is near.
std::string nearestName(llvm::StringRef typed, llvm::ArrayRef<std::string> names);

} // namespace convoy
