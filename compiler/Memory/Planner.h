// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one memory planner: blocks with lifetimes in, offsets out.

#pragma once

#include <cstdint>
#include <vector>

namespace convoy::memory {

/// A piece of memory that is needed from step `first` to step `last`, both
/// included.
struct Block {
  int64_t bytes;
  int64_t first;
  int64_t last;
  int64_t offset = 0; // the plan
};

/// Gives each block an offset, a multiple of `alignment`, such that blocks alive
/// at the same step do not overlap. Returns the bytes needed in all. Ties are
/// broken by position, so equal input gives equal plans.
int64_t planMemory(std::vector<Block> &blocks, int64_t alignment);

} // namespace convoy::memory
