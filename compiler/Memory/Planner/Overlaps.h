// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assigns offsets to blocks of which some may share bytes while both are live: a result that is
// written from its first byte on may lie over the bytes of an operand that are already consumed.

#pragma once

#include "Memory/Planner/Planner.h"

namespace convoy::memory {

/// Two blocks that may share bytes although they are live at the same steps. The result never
/// overwrites a byte of the operand that is still needed, unless its start minus the start of the
/// operand is greater than `low` and less than `high`. For blocks that must not share bytes, `low`
/// is minus the bytes of the result, and `high` is the bytes of the operand.
///
///     operand          |r0|r1|r2|r3|        row i of the result is written while row i of the
///     result        |r0|r1|r2|r3|           operand is read: `low` is minus one row
struct Overlap {
  size_t operand = 0; // a position in the list of blocks
  size_t result = 0;
  int64_t low = 0;
  int64_t high = 0;
};

/// Assigns each block an offset, a multiple of `alignment`, so that blocks that are live at the
/// same step share bytes only as `overlaps` permits. Returns the end of the last block. Tries
/// several orders of the blocks and keeps the smallest plan. Equal input gives equal plans.
int64_t planOverlapping(std::vector<Block> &blocks, const std::vector<Overlap> &overlaps,
                        int64_t alignment);

} // namespace convoy::memory
