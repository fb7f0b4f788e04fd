// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assigns offsets to blocks with live ranges. All targets use this planner. A CPU has one
// unlimited memory; microcontrollers and devices list their memories.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace convoy::memory {

/// A memory that blocks can be placed in.
struct Space {
  std::string name;
  int64_t bytes = 0; // 0: unlimited
  int64_t alignment = 64;
  int64_t bankBytes =
      0; // a block that fits into a bank does not cross the end of a bank; 0: no banks
};

/// A range of memory that is live from step `first` to step `last`, both included.
struct Block {
  int64_t bytes;
  int64_t first;
  int64_t last;
  int64_t offset = 0; // result of the plan
  size_t space = 0;   // input: the first permitted memory; result: the chosen memory
};

/// Assigns each block an offset, a multiple of `alignment`, so that blocks that are live at
/// the same step do not overlap. Returns the total number of bytes. The position in `blocks`
/// breaks ties, so equal input gives equal plans.
int64_t planMemory(std::vector<Block> &blocks, int64_t alignment);

/// Plans several memories: places each block in the first memory, starting at its `space`,
/// that has enough free bytes. Returns the bytes used of each memory, or nothing if a block
/// does not fit into any.
std::optional<std::vector<int64_t>> planMemories(std::vector<Block> &blocks,
                                                 const std::vector<Space> &spaces);

} // namespace convoy::memory
