// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes the integer rescaling that a target supports. The quantize stage writes
// integer layers in this arithmetic. The attributes and constants of the graph then
// define the arithmetic, so the reference interpreter and every target compute the
// same bits.

#pragma once

#include "Graph/Graph.h"

namespace convoy::quantize {

struct Arithmetic {
  /// Bits of the multipliers of requantize, 8 to 31.
  int64_t multiplierBits = 31;
  /// How requantize rounds ties.
  graph::ShiftRounding rounding = graph::ShiftRounding::HalfEven;
  /// Whether the channels of a layer have separate multipliers but share one shift.
  bool hasOneShift = false;
  /// An average over at most this many rows and columns is rounded after the columns
  /// and again after the rows, as signed bytes. Each step multiplies by a truncated
  /// 16-bit reciprocal. If the scales differ, a requantize follows. 0: never.
  int64_t axisAverageLimit = 0;
  /// Whether an addition multiplies one operand and shifts the other one, adds the
  /// zero point of the result, as a signed byte, and then rescales the sum once. If
  /// the scales differ by a power of two, the zero point follows the rounding.
  bool shiftsAddend = false;
  /// Whether layers convert sums to 8 bits with one shift and no multiplier, and
  /// all tensors are int8 without zero points. The stage then chooses new scales
  /// and rounds the weights again; a warning reports the cost.
  bool shiftsOnly = false;
  /// Number of intervals of the two tables of integer_lrn. 0 means that the target
  /// has no tables and LRN layers stay in floating point.
  int64_t shortTable = 0, longTable = 0;
  /// Whether LRN layers use tables of 256 bytes for squares and for factors, with an
  /// 8-bit multiplier for the sums of squares.
  bool hasByteTables = false;

  bool operator==(const Arithmetic &other) const {
    return multiplierBits == other.multiplierBits && rounding == other.rounding &&
           hasOneShift == other.hasOneShift && axisAverageLimit == other.axisAverageLimit &&
           shiftsAddend == other.shiftsAddend && shiftsOnly == other.shiftsOnly &&
           shortTable == other.shortTable && longTable == other.longTable &&
           hasByteTables == other.hasByteTables;
  }
  bool operator!=(const Arithmetic &other) const { return !(*this == other); }
};

} // namespace convoy::quantize
