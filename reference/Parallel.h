// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs expensive evaluators on several cores. One thread computes each item, so
// results do not depend on the number of threads.

#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include <cstdint>

namespace convoy::reference {

/// Calls `fn(begin, end)` for ranges that together cover [0, count). Uses
/// several threads if `count * itemCost` elementary steps justify it.
void parallelFor(int64_t count, double itemCost, llvm::function_ref<void(int64_t, int64_t)> fn);

} // namespace convoy::reference
