// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What to write into the look-up tables of CDP and SDP: response normalisation, sigmoid
// and tanh in fp16; tables of integers, which the integer graph brings along.

#pragma once

#include "Accelerators/NVDLA/Simulator/Jobs.h"
#include "llvm/ADT/ArrayRef.h"

namespace convoy::nvdla {

/// y = x / (bias + alpha / window * sum of squares over the window) ^ beta.
struct Normalization {
  uint32_t window = 5; // channels: 3, 5, 7 or 9
  double alpha = 1e-4, beta = 0.75, bias = 1;
};

/// Tables with the smallest worst relative error up to this sum of squares; beyond it
/// the last value goes on along a line.
LutTables halfNormalization(const Normalization &lrn, double largestSum);

/// A function of integers from 0 on, by entries that are there: `near`, 2^nearShift apart,
/// counts up to its end, then `far`, 2^farShift apart from `farStart` on. One of them has 65
/// entries, the other 257.
struct IntegerTables {
  llvm::ArrayRef<int16_t> near, far;
  int64_t nearShift = 0, farStart = 0, farShift = 0;
};

LutTables placeTables(const IntegerTables &tables);

/// Any function of a byte: entry i of 257 is for i - 129, and what is beyond counts as the
/// first or the last.
LutTables placeLookup(llvm::ArrayRef<int16_t> entries);

/// A function that a table of SDP's Y stage computes.
enum class Curve : uint8_t { Sigmoid, Tanh };

LutTables halfCurve(Curve curve);

} // namespace convoy::nvdla
