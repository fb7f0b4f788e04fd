// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups of consecutive layers that are split into bands of rows, so that the data of a band stays
// in a core's cache. This file works on numbers only; PlanBands.cpp finds layers in the IR and
// records the chosen groups.

#pragma once

#include "Task/RowSteps.h"
#include <vector>

namespace convoy::bands {

/// A run of a kernel with rows.
struct Layer {
  task::RowSteps steps;
  task::RowMemory result;
  /// An operand that the layer reads by rows: the earlier layer of the list that writes it, if any,
  /// and its operand number in the kernel.
  struct Input {
    std::optional<unsigned> from;
    unsigned operand = 0;
    task::RowMemory memory;
  };
  llvm::SmallVector<Input, 2> inputs;
  /// Bytes that the layer reads for every row: weights.
  int64_t wholeBytes = 0;
  /// Computation time with all data in the first-level cache.
  double computeNs = 0;
  /// Layers of the list that this layer reads other than by rows.
  llvm::SmallVector<unsigned, 2> wholeFrom;
};

/// Limits for bands.
struct BandLimits {
  /// Bytes of the cache, or local memory, of one core.
  int64_t cacheBytes = 0;
  unsigned workers = 1;
  /// Also choose groups that save nothing, for tests and measurements.
  bool takesAll = false;
};

/// Layers [first, first + ends.size()), split into bands.
struct BandGroup {
  unsigned first = 0;
  /// By layer and band: the number of chunks done; by layer: the estimated nanoseconds saved.
  std::vector<llvm::SmallVector<int64_t>> ends;
  std::vector<double> savedNs;
  /// The maximum number of bytes that a layer accesses in a band.
  int64_t bandBytes = 0;
  double totalNs() const;
  /// The estimated nanoseconds of the layers without bands.
  double plainNs = 0;
};

/// Splits layers [first, first + count) into `bands` bands, or returns nullopt if a layer cannot be
/// split. Rows of the first layer are split evenly. In each band, a later layer computes all rows
/// whose inputs are complete, so a band never needs a later band:
///
///     3 x 3   |  0..9   |  10..19  |  20..27 |
///     3 x 3   |  0..8  |  9..18  |   19..27  |      row 9 needs row 10 before
std::optional<BandGroup> cutLayers(llvm::ArrayRef<Layer> layers, unsigned first, unsigned count,
                                   unsigned bands);

/// Returns the disjoint groups that save the most in total.
std::vector<BandGroup> chooseGroups(llvm::ArrayRef<Layer> layers, const BandLimits &limits);

} // namespace convoy::bands
