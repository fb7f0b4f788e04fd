// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The unit of the samples in records. Programs that print records use it.

#pragma once

#include "llvm/ADT/StringRef.h"

namespace convoy::tuning {

/// Returns whether the samples of a policy are counts of instructions instead of nanoseconds.
inline bool isCounted(llvm::StringRef policy) { return policy == "instructions"; }

} // namespace convoy::tuning
