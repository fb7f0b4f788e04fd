// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places one block after the other. Two blocks that are live at the same step exclude an interval
// of starts for the second block. A block gets the start outside all intervals that extends the
// used bytes the least. Starts may be negative, because a result lies before its operand; the
// finished plan is moved to 0. The order of the blocks determines the plan, so the planner tries
// some orders, and then repeatedly moves the block that ends last to the front.

#include "Memory/Planner/Overlaps.h"
#include <algorithm>
#include <map>
#include <numeric>

namespace convoy::memory {
namespace {

/// How often a plan is repeated with the last block in front.
constexpr int kRepetitions = 32;

int64_t alignDown(int64_t value, int64_t alignment) {
  int64_t rest = value % alignment;
  return value - (rest < 0 ? rest + alignment : rest);
}

int64_t alignUp(int64_t value, int64_t alignment) { return -alignDown(-value, alignment); }

/// Starts that are not possible: greater than `low` and less than `high`.
struct Interval {
  int64_t low = 0;
  int64_t high = 0;
};

class Search {
public:
  Search(const std::vector<Block> &blocks, const std::vector<Overlap> &overlaps, int64_t alignment)
      : blocks(blocks), alignment(alignment), offsets(blocks.size()) {
    for (const Overlap &overlap : overlaps) {
      permitted[{overlap.operand, overlap.result}] = {overlap.low, overlap.high};
    }
  }

  /// Places the blocks in the given order. Returns the bytes of the plan.
  int64_t place(const std::vector<size_t> &order) {
    int64_t begin = 0;
    int64_t end = 0;
    for (size_t i = 0; i < order.size(); ++i) {
      size_t block = order[i];
      offsets[block] = bestStart(block, order, i, begin, end);
      begin = i == 0 ? offsets[block] : std::min(begin, offsets[block]);
      end = i == 0 ? offsets[block] + blocks[block].bytes
                   : std::max(end, offsets[block] + blocks[block].bytes);
    }
    for (int64_t &offset : offsets) {
      offset -= begin;
    }
    return end - begin;
  }

  const std::vector<int64_t> &result() const { return offsets; }

private:
  /// Returns the starts of `block` that a placed block excludes.
  Interval excluded(size_t block, size_t placed) const {
    Interval interval{offsets[placed] - blocks[block].bytes,
                      offsets[placed] + blocks[placed].bytes};
    if (auto over = permitted.find({placed, block}); over != permitted.end()) {
      interval.low = std::max(interval.low, offsets[placed] + over->second.low);
      interval.high = std::min(interval.high, offsets[placed] + over->second.high);
    }
    if (auto under = permitted.find({block, placed}); under != permitted.end()) {
      interval.low = std::max(interval.low, offsets[placed] - under->second.high);
      interval.high = std::min(interval.high, offsets[placed] - under->second.low);
    }
    return interval;
  }

  /// Returns the start that extends [begin, end) the least; of equal starts the lowest.
  int64_t bestStart(size_t block, const std::vector<size_t> &order, size_t count, int64_t begin,
                    int64_t end) const {
    std::vector<Interval> intervals;
    std::vector<int64_t> starts = {begin};
    for (size_t i = 0; i < count; ++i) {
      const Block &other = blocks[order[i]];
      if (other.first <= blocks[block].last && blocks[block].first <= other.last) {
        Interval interval = excluded(block, order[i]);
        starts.push_back(alignDown(interval.low, alignment));
        starts.push_back(alignUp(interval.high, alignment));
        intervals.push_back(interval);
      }
    }
    std::sort(starts.begin(), starts.end());
    int64_t best = 0;
    int64_t least = INT64_MAX;
    for (int64_t start : starts) {
      bool isFree = std::none_of(intervals.begin(), intervals.end(), [&](const Interval &interval) {
        return start > interval.low && start < interval.high;
      });
      int64_t bytes = std::max(end, start + blocks[block].bytes) - std::min(begin, start);
      if (isFree && bytes < least) {
        least = bytes;
        best = start;
      }
    }
    return best;
  }

  const std::vector<Block> &blocks;
  int64_t alignment;
  std::map<std::pair<size_t, size_t>, Interval> permitted; // by operand and result
  std::vector<int64_t> offsets;
};

/// Returns the blocks sorted by descending keys; the position breaks ties.
std::vector<size_t> sortedBy(const std::vector<std::pair<int64_t, int64_t>> &keys) {
  std::vector<size_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return keys[a] != keys[b] ? keys[a] > keys[b] : a < b; });
  return order;
}

/// The orders in which the planner places blocks: by size, by the first and by the last step.
std::vector<std::vector<size_t>> ordersOf(const std::vector<Block> &blocks) {
  std::vector<std::pair<int64_t, int64_t>> sizes;
  std::vector<std::pair<int64_t, int64_t>> begins;
  std::vector<std::pair<int64_t, int64_t>> ends;
  for (const Block &block : blocks) {
    sizes.emplace_back(block.bytes, 0);
    begins.emplace_back(-block.first, block.bytes);
    ends.emplace_back(block.last, block.bytes);
  }
  return {sortedBy(sizes), sortedBy(begins), sortedBy(ends)};
}

} // namespace

int64_t planOverlapping(std::vector<Block> &blocks, const std::vector<Overlap> &overlaps,
                        int64_t alignment) {
  Search search(blocks, overlaps, alignment);
  int64_t best = INT64_MAX;
  for (std::vector<size_t> order : ordersOf(blocks)) {
    for (int i = 0; i < kRepetitions; ++i) {
      int64_t bytes = search.place(order);
      const std::vector<int64_t> &offsets = search.result();
      if (bytes < best) {
        best = bytes;
        for (size_t b = 0; b < blocks.size(); ++b) {
          blocks[b].offset = offsets[b];
        }
      }
      auto last = std::max_element(order.begin(), order.end(), [&](size_t a, size_t b) {
        return offsets[a] + blocks[a].bytes < offsets[b] + blocks[b].bytes;
      });
      if (last == order.end()) {
        return 0; // no blocks
      }
      std::rotate(order.begin(), last, last + 1);
    }
  }
  return best;
}

} // namespace convoy::memory
