// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Spreads the few expensive evaluators over the machine's cores. Each item is
// computed by one thread, so results do not depend on the number of threads.

#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include <cstdint>

namespace convoy::reference {

/// Calls `fn(begin, end)` for ranges that together cover [0, count), from several
/// threads when `count * itemCost` elementary steps are worth it.
void parallelFor(int64_t count, double itemCost, llvm::function_ref<void(int64_t, int64_t)> fn);

} // namespace convoy::reference
