// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clamps the bounds of a slice. Exporters write the extreme values of int64 for
// open-ended slices, so the arithmetic must not overflow.

#include "Graph/SliceRange.h"
#include <algorithm>

namespace convoy::graph {

SliceRange sliceRange(int64_t dim, int64_t start, int64_t end, int64_t step) {
  if (dim == 0) {
    return {0, step, 0};
  }
  // A backward slice starts at the last element at most and may end before
  // element 0.
  bool isBackward = step < 0;
  int64_t highest = isBackward ? dim - 1 : dim;
  int64_t first = std::clamp<int64_t>(start < 0 ? start + dim : start, 0, highest);
  int64_t last = std::clamp<int64_t>(end < 0 ? end + dim : end, isBackward ? -1 : 0, highest);
  int64_t distance = isBackward ? first - last : last - first;
  if (distance <= 0) {
    return {first, step, 0};
  }
  // The negation of the smallest int64 overflows, so the stride is unsigned.
  uint64_t stride = isBackward ? uint64_t(0) - static_cast<uint64_t>(step) : step;
  uint64_t length = (static_cast<uint64_t>(distance) - 1) / stride + 1;
  return {first, step, static_cast<int64_t>(length)};
}

} // namespace convoy::graph
