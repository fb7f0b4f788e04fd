// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The contents of the look-up tables of CDP and SDP: response normalization, sigmoid and tanh in
// fp16, and integer tables, which the integer graph provides.

#pragma once

#include "Accelerators/NVDLA/Simulator/Jobs.h"
#include "llvm/ADT/ArrayRef.h"

namespace convoy::nvdla {

/// y = x / (bias + alpha / window * sum of squares over the window) ^ beta.
struct Normalization {
  uint32_t window = 5; // channels: 3, 5, 7 or 9
  double alpha = 1e-4, beta = 0.75, bias = 1;
};

/// Returns tables with the smallest maximal relative error for sums of squares up to `largestSum`;
/// beyond it the function continues along a line.
LutTables halfNormalization(const Normalization &lrn, double largestSum);

/// A function of non-negative integers as given entries. `near` has intervals of 2^nearShift and
/// applies up to its end. `far` has intervals of 2^farShift from `farStart`. One table has 65
/// entries, the other 257.
struct IntegerTables {
  llvm::ArrayRef<int16_t> near, far;
  int64_t nearShift = 0, farStart = 0, farShift = 0;
};

LutTables placeTables(const IntegerTables &tables);

/// Returns the tables of a function of a byte: entry i of 257 is for i - 129, and values beyond the
/// range use the first or last entry.
LutTables placeLookup(llvm::ArrayRef<int16_t> entries);

/// A function that SDP's stage Y computes with a table.
enum class Curve : uint8_t { Sigmoid, Tanh };

LutTables halfCurve(Curve curve);

} // namespace convoy::nvdla
