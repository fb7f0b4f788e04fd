// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Defines the arithmetic of graph.requantize on one element. The reference
// interpreter, the simulators and constant folding call it; kernels emit the
// same steps.

#pragma once

#include "Graph/Graph.h"
#include <algorithm>

namespace convoy::graph {

/// Returns value / 2^shift; `rounding` selects how ties are rounded. The shift
/// must be 1 or more, and |value| + 2^(shift - 1) must fit int64.
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

/// The steps of a requantization after the multiplication.
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
