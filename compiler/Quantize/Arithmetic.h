// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a target's integer units can do when they rescale. The quantize stage writes
// integer layers in this arithmetic; attributes and constants of the graph then carry
// it, so the reference and every target of that graph give the same bits.

#pragma once

#include "Graph/Graph.h"

namespace convoy::quantize {

struct Arithmetic {
  /// Bits of the multipliers of requantize, 8 to 31.
  int64_t multiplierBits = 31;
  /// Where halves go.
  graph::ShiftRounding rounding = graph::ShiftRounding::HalfEven;
  /// The channels of a layer have multipliers of their own, but one shift.
  bool hasOneShift = false;
  /// An average is rounded after its rows and again after its columns, each multiplied
  /// by a reciprocal of 16 bits, cut off; then, where scales differ, rescaled.
  bool averagesByAxis = false;
  /// The two multipliers of an addition are a common one times factors of so many bits;
  /// 0 where they may be anything.
  int64_t addFactorBits = 0;
  /// Sums of layers are brought to 8 bits by one shift, without a multiplier, and all
  /// tensors are int8 without zero points. Scales are chosen anew for that, and weights
  /// rounded again; a warning says what it costs.
  bool shiftsOnly = false;
  /// Intervals of the two tables by which it normalises over channels (integer_lrn); 0
  /// where it has none, and such layers stay in float.
  int64_t shortTable = 0, longTable = 0;

  bool operator==(const Arithmetic &other) const {
    return multiplierBits == other.multiplierBits && rounding == other.rounding &&
           hasOneShift == other.hasOneShift && averagesByAxis == other.averagesByAxis &&
           addFactorBits == other.addFactorBits && shiftsOnly == other.shiftsOnly &&
           shortTable == other.shortTable && longTable == other.longTable;
  }
  bool operator!=(const Arithmetic &other) const { return !(*this == other); }
};

} // namespace convoy::quantize
