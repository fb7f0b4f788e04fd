// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// graph.integer_lrn, and its arithmetic on one number: whoever executes it number by
// number (reference, the fit of the tables) calls this; kernels emit the same steps.

#pragma once

#include "Graph/RoundingShift.h"

#define GET_OP_CLASSES
#include "Graph/Normalization.h.inc"

namespace convoy::graph {

/// The attributes of an integer normalisation, of whichever dialect.
struct NormalizationNumbers {
  int64_t size = 1, nearShift = 0, farStart = 0, farShift = 0, bias = 0;
};

template <typename OpT>
NormalizationNumbers normalizationOf(OpT op) {
  return {static_cast<int64_t>(op.getSize()), static_cast<int64_t>(op.getNearShift()),
          static_cast<int64_t>(op.getFarStart()), static_cast<int64_t>(op.getFarShift()),
          static_cast<int64_t>(op.getBias())};
}

/// A function of numbers from 0 on, by two tables whose entries lines join.
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
    int64_t rise = (int64_t(table[i + 1]) - table[i]) * rest; // none where entries are 1 apart
    return table[i] + (shift == 0 ? 0 : roundingShift(rise, shift, ShiftRounding::HalfAway));
  }
};

} // namespace convoy::graph
