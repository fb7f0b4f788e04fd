// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Greedy by size: the largest block first, each at the lowest gap that fits
// among the blocks already placed that are alive with it. Large blocks decide
// the total, so they choose first.

#include "Memory/Planner.h"
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

/// The lowest offset at which `bytes` fit between neighbours sorted by offset.
int64_t lowestGap(const std::vector<const Block *> &neighbours, int64_t bytes, int64_t alignment) {
  int64_t offset = 0;
  for (const Block *other : neighbours) {
    if (offset + bytes <= other->offset) {
      break;
    }
    offset = std::max(offset, alignUp(other->offset + other->bytes, alignment));
  }
  return offset;
}

} // namespace

int64_t planMemory(std::vector<Block> &blocks, int64_t alignment) {
  std::vector<size_t> order(blocks.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return blocks[a].bytes != blocks[b].bytes ? blocks[a].bytes > blocks[b].bytes : a < b;
  });
  // Placed blocks sorted by offset, so that neighbours come in order.
  std::vector<const Block *> placed;
  std::vector<const Block *> neighbours;
  int64_t total = 0;
  for (size_t i : order) {
    Block &block = blocks[i];
    neighbours.clear();
    for (const Block *other : placed) {
      if (overlapsInTime(block, *other)) {
        neighbours.push_back(other);
      }
    }
    block.offset = lowestGap(neighbours, block.bytes, alignment);
    total = std::max(total, block.offset + block.bytes);
    auto at =
        std::upper_bound(placed.begin(), placed.end(), &block,
                         [](const Block *a, const Block *b) { return a->offset < b->offset; });
    placed.insert(at, &block);
  }
  return alignUp(total, alignment);
}

} // namespace convoy::memory
