// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a slice takes of one dimension, after ONNX's clamping.

#pragma once

#include <cstdint>

namespace convoy::graph {

struct SliceRange {
  int64_t start = 0;
  int64_t step = 1;
  int64_t length = 0;
};

/// The elements start, start + step, ... that lie before `end` (after it, when
/// the step is negative) in a dimension of `dim` elements. Any integers are
/// fine, except that `step` is not 0 and `dim` not negative.
SliceRange sliceRange(int64_t dim, int64_t start, int64_t end, int64_t step);

} // namespace convoy::graph
