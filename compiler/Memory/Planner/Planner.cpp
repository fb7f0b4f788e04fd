// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Greedy by size: places the largest block first. Each block gets the lowest gap that is large
// enough among the blocks already placed whose live ranges overlap with it. Large blocks
// determine the total size, so they are placed first.

#include "Memory/Planner/Planner.h"
#include <algorithm>
#include <numeric>

namespace convoy::memory {
namespace {

int64_t alignUp(int64_t value, int64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

bool overlapsInTime(const Block &a, const Block &b) {
  return a.first <= b.last && b.first <= a.last;
}

/// Moves a block that would cross the end of a bank to the next bank.
int64_t withinBank(int64_t offset, int64_t bytes, int64_t bankBytes) {
  bool crosses = bankBytes > 0 && bytes <= bankBytes && bytes > 0 &&
                 offset / bankBytes != (offset + bytes - 1) / bankBytes;
  return crosses ? alignUp(offset, bankBytes) : offset;
}

/// Returns the lowest offset at which `bytes` fit between neighbors, which are sorted by
/// offset.
int64_t lowestGap(const std::vector<const Block *> &neighbors, int64_t bytes, const Space &space) {
  int64_t offset = 0;
  for (const Block *other : neighbors) {
    if (offset + bytes <= other->offset) {
      break;
    }
    int64_t behind = alignUp(other->offset + other->bytes, space.alignment);
    offset = withinBank(std::max(offset, behind), bytes, space.bankBytes);
  }
  return offset;
}

/// The plan of one memory.
struct Plan {
  const Space &space;
  std::vector<const Block *>
      placed; // sorted by offset, so that lowestGap() gets neighbors in order
  int64_t total = 0;

  /// Places the block. Returns false if there is not enough memory.
  bool place(Block &block) {
    std::vector<const Block *> neighbors;
    for (const Block *other : placed) {
      if (overlapsInTime(block, *other)) {
        neighbors.push_back(other);
      }
    }
    int64_t offset = lowestGap(neighbors, block.bytes, space);
    if (space.bytes > 0 && offset + block.bytes > space.bytes) {
      return false;
    }
    block.offset = offset;
    total = std::max(total, offset + block.bytes);
    auto at =
        std::upper_bound(placed.begin(), placed.end(), &block,
                         [](const Block *a, const Block *b) { return a->offset < b->offset; });
    placed.insert(at, &block);
    return true;
  }
};

/// Places the block in the first memory, starting at its `space`, that has enough free bytes.
bool placeInFirst(Block &block, std::vector<Plan> &plans) {
  for (size_t i = block.space; i < plans.size(); ++i) {
    if (plans[i].place(block)) {
      block.space = i;
      return true;
    }
  }
  return false;
}

} // namespace

std::optional<std::vector<int64_t>> planMemories(std::vector<Block> &blocks,
                                                 const std::vector<Space> &spaces) {
  std::vector<size_t> order(blocks.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return blocks[a].bytes != blocks[b].bytes ? blocks[a].bytes > blocks[b].bytes : a < b;
  });
  std::vector<Plan> plans;
  for (const Space &space : spaces) {
    plans.push_back({space, {}, 0});
  }
  for (size_t i : order) {
    if (!placeInFirst(blocks[i], plans)) {
      return std::nullopt;
    }
  }
  std::vector<int64_t> totals;
  for (const Plan &plan : plans) {
    totals.push_back(alignUp(plan.total, plan.space.alignment));
  }
  return totals;
}

int64_t planMemory(std::vector<Block> &blocks, int64_t alignment) {
  // Every block fits into an unlimited memory.
  return planMemories(blocks, {Space{"", 0, alignment, 0}})->front();
}

} // namespace convoy::memory
