// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executes consecutive layers row by row: in each round, every layer computes at most one row of
// its result, as soon as the rows that it reads are there. A tensor between two layers then needs
// only the rows of the reader's window (a ring), and the last layer can write over rows of the
// first layer's operand that are already consumed. No row is computed twice.
//
//     round       0  1  2  3  4  5
//     3 x 3       0  1  2  3  4  5      row i of the first layer is computed in round i
//     3 x 3          0  1  2  3  4  5   row i reads rows i-1 to i+1: it is one round later
//
// This file works on numbers only and depends on no IR.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace convoy::memory {

/// The rows [i * stride - padBefore, i * stride - padBefore + size) that row i of a result reads;
/// rows outside the tensor are padding.
struct RowWindow {
  int64_t size = 1;
  int64_t stride = 1;
  int64_t padBefore = 0;
};

struct RowTensor {
  int64_t rows = 0;
  int64_t rowBytes = 0;
  /// All rows exist before the first layer runs.
  bool isOutside = false;
  /// All rows must exist after the last layer.
  bool isKept = false;
};

struct RowLayer {
  /// A position in the list of tensors. Every row of the result is written once.
  size_t result = 0;
  struct Read {
    size_t tensor = 0;
    RowWindow window;
  };
  std::vector<Read> reads;
};

/// Row i of a layer, counted from the last row if the schedule is descending, is computed in round
/// `stride` * i + `lag`.
struct RowPace {
  int64_t stride = 1;
  int64_t lag = 0;
};

/// A result that may lie over consumed rows of an operand, unless its start minus the start of the
/// operand is greater than `low` and less than `high`.
struct RowOverlap {
  size_t operand = 0;
  size_t result = 0;
  int64_t low = 0;
  int64_t high = 0;
};

struct RowSchedule {
  std::vector<RowPace> paces; // by layer
  int64_t rounds = 0;
  /// By tensor: the rows that are needed at once. Row i is at position i modulo this number. Equals
  /// the rows of the tensor if it is kept or was there before.
  std::vector<int64_t> rings;
  std::vector<RowOverlap> overlaps;
};

/// Returns the schedule of layers, which are in the order of their dependences, or nullopt if they
/// do not proceed at proportional paces. A descending schedule starts with the last rows, so a
/// result ends behind its operand instead of starting before it.
std::optional<RowSchedule> scheduleRows(std::vector<RowTensor> tensors,
                                        std::vector<RowLayer> layers, bool isDescending);

} // namespace convoy::memory
