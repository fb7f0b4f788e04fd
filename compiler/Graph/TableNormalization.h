// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Defines the arithmetic of graph.integer_lrn on one element. The reference
// interpreter and the code that fits the tables call it; kernels emit the same
// steps.

#pragma once

#include "Graph/RoundingShift.h"

#define GET_OP_CLASSES
#include "Graph/Normalization.h.inc"

namespace convoy::graph {

/// The attributes of an integer normalization op of any dialect.
struct NormalizationNumbers {
  int64_t size = 1, nearShift = 0, farStart = 0, farShift = 0, bias = 0;
};

template <typename OpT>
NormalizationNumbers normalizationOf(OpT op) {
  return {static_cast<int64_t>(op.getSize()), static_cast<int64_t>(op.getNearShift()),
          static_cast<int64_t>(op.getFarStart()), static_cast<int64_t>(op.getFarShift()),
          static_cast<int64_t>(op.getBias())};
}

/// A function of non-negative integers as two tables with linear interpolation.
struct TableFunction {
  llvm::ArrayRef<int16_t> near, far;
  NormalizationNumbers numbers;

  int64_t nearEnd() const { return static_cast<int64_t>(near.size() - 1) << numbers.nearShift; }

  int64_t operator()(int64_t place) const {
    return place < nearEnd() ? between(near, place, numbers.nearShift)
                             : between(far, place - numbers.farStart, numbers.farShift);
  }

private:
  static int64_t between(llvm::ArrayRef<int16_t> table, int64_t distance, int64_t shift) {
    int64_t i = distance >> shift;
    if (i >= static_cast<int64_t>(table.size() - 1)) {
      return table.back();
    }
    int64_t rest = distance - (i << shift);
    int64_t rise =
        (int64_t(table[i + 1]) - table[i]) * rest; // 0 if consecutive entries are 1 apart
    return table[i] + (shift == 0 ? 0 : roundingShift(rise, shift, ShiftRounding::HalfAway));
  }
};

} // namespace convoy::graph
