// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one memory planner: blocks with lifetimes in, offsets out. The CPU has one
// memory without end; devices list theirs.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace convoy::memory {

/// A memory that blocks can be placed in.
struct Space {
  std::string name;
  int64_t bytes = 0; // 0: without end
  int64_t alignment = 64;
  int64_t bankBytes = 0; // a block that fits into a bank lies in one; 0: no banks
};

/// A piece of memory that is needed from step `first` to step `last`, both
/// included.
struct Block {
  int64_t bytes;
  int64_t first;
  int64_t last;
  int64_t offset = 0; // the plan
  size_t space = 0;   // the first memory it may be in; then the one it is in
};

/// Gives each block an offset, a multiple of `alignment`, such that blocks alive
/// at the same step do not overlap. Returns the bytes needed in all. Ties are
/// broken by position, so equal input gives equal plans.
int64_t planMemory(std::vector<Block> &blocks, int64_t alignment);

/// The same over several memories: each block is in the first one, from its `space` on,
/// that has room for it. Returns the bytes needed of each, or nothing when a block
/// fits nowhere.
std::optional<std::vector<int64_t>> planMemories(std::vector<Block> &blocks,
                                                 const std::vector<Space> &spaces);

} // namespace convoy::memory
