// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arithmetic of graph.requantize on one number. Whoever executes an integer
// graph number by number (reference, simulators, folding) calls this; kernels
// emit the same steps.

#pragma once

#include "Graph/Graph.h"
#include <algorithm>

namespace convoy::graph {

/// value / 2^shift, halves as `rounding` says. The shift is 1 or more, and
/// |value| + 2^(shift - 1) fits int64.
inline int64_t roundingShift(int64_t value, int64_t shift, ShiftRounding rounding) {
  int64_t half = int64_t(1) << (shift - 1);
  switch (rounding) {
  case ShiftRounding::HalfAway:
    return (value + half - (value < 0 ? 1 : 0)) >> shift;
  case ShiftRounding::HalfUp:
    return (value + half) >> shift;
  case ShiftRounding::HalfEven:
    return (value + half - 1 + ((value >> shift) & 1)) >> shift;
  }
  llvm_unreachable("unknown rounding");
}

/// What is left of a rescaling once the product is there.
struct Requantizer {
  int64_t zeroPoint;
  int64_t low;
  int64_t high;
  ShiftRounding rounding;

  int64_t operator()(int64_t product, int64_t shift) const {
    return std::clamp(roundingShift(product, shift, rounding) + zeroPoint, low, high);
  }
};

} // namespace convoy::graph
