// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes the elements of one dimension that a slice selects, after ONNX's
// clamping.

#pragma once

#include <cstdint>

namespace convoy::graph {

struct SliceRange {
  int64_t start = 0;
  int64_t step = 1;
  int64_t length = 0;
};

/// Returns the elements start, start + step, ... before `end` (after `end` if
/// the step is negative) in a dimension of size `dim`. Accepts any integers
/// except step 0 and a negative `dim`.
SliceRange sliceRange(int64_t dim, int64_t start, int64_t end, int64_t step);

} // namespace convoy::graph
