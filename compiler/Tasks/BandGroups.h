// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers in a row, cut into bands of rows that pass through a core's cache. Numbers
// only: PlanBands.cpp finds layers in the IR and writes down what is chosen here.

#pragma once

#include "Tasks/RowSteps.h"
#include <vector>

namespace convoy::tasks {

/// A run of a kernel with rows.
struct Layer {
  task::RowSteps steps;
  task::RowMemory result;
  /// What it reads by rows: the layer before in the list that wrote it, if one did, and
  /// where it is among the kernel's operands.
  struct Input {
    std::optional<unsigned> from;
    unsigned operand = 0;
    task::RowMemory memory;
  };
  llvm::SmallVector<Input, 2> inputs;
  /// What it reads for every row: weights.
  int64_t wholeBytes = 0;
  /// Time that it takes with everything at hand.
  double computeNs = 0;
  /// It reads a layer of the list in another way than by rows.
  llvm::SmallVector<unsigned, 2> wholeFrom;
};

/// What bands are to fit.
struct BandLimits {
  /// Of the cache, or the local memory, that one core has for itself.
  int64_t cacheBytes = 0;
  unsigned workers = 1;
  /// Take groups that save nothing too: for tests, and to measure.
  bool takesAll = false;
};

/// Layers [first, first + ends.size()) cut into bands.
struct BandGroup {
  unsigned first = 0;
  /// By layer and band: chunks done; and what a layer saves.
  std::vector<llvm::SmallVector<int64_t>> ends;
  std::vector<double> savedNs;
  /// The most bytes that a layer touches in a band.
  int64_t bandBytes = 0;
  double totalNs() const;
  /// What its layers take when none of it is done.
  double plainNs = 0;
};

/// Layers [first, first + count) in `bands` bands, if every layer can be cut so. Rows of
/// the first are cut evenly. A later layer has as many rows in a band as can be made of
/// what is done by then, so a band needs nothing of those behind it:
///
///     3 x 3   |  0..9   |  10..19  |  20..27 |
///     3 x 3   |  0..8  |  9..18  |   19..27  |      row 9 needs row 10 before
std::optional<BandGroup> cutLayers(llvm::ArrayRef<Layer> layers, unsigned first, unsigned count,
                                   unsigned bands);

/// The groups that save most in all, none overlapping.
std::vector<BandGroup> chooseGroups(llvm::ArrayRef<Layer> layers, const BandLimits &limits);

} // namespace convoy::tasks
