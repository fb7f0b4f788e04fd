// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes the part of each operand that an op reads to compute part of its
// result (tiles with halos). Every pass that splits layers, for threads or for
// devices, uses it.

#pragma once

#include "mlir/IR/Operation.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace convoy::graph {

/// The indices [first, first + count) of one dimension.
struct IndexRange {
  int64_t first = 0;
  int64_t count = 0;
  bool operator==(const IndexRange &other) const {
    return first == other.first && count == other.count;
  }
};

/// A box: one range per dimension.
using Region = llvm::SmallVector<IndexRange, 4>;

/// The movement of a window along one dimension.
struct SlidingWindow {
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t padBefore = 0;
};

/// The input elements that windows read: a range inside the input, and the
/// number of padding taps before and after it. The range is empty if all taps
/// are padding.
struct WindowReads {
  IndexRange range;
  int64_t padBefore = 0;
  int64_t padAfter = 0;
};

/// Returns the input range that output indices `outputs` read in a dimension of
/// size `extent`.
WindowReads readsOfWindow(const SlidingWindow &window, IndexRange outputs, int64_t extent);

/// Returns the region of the whole tensor, which has a static shape.
Region wholeOf(mlir::Value value);

/// Returns the box of operand `operand` that contains every element on which
/// region `result` of the first result depends. The box is exact for
/// convolutions, pools, element-wise ops, transposes and concatenations. For
/// ops without a rule it is the whole operand. A range may be empty, for
/// example for an operand of a concatenation that the region does not touch.
Region inferOperandRegion(mlir::Operation *op, unsigned operand, llvm::ArrayRef<IndexRange> result);

} // namespace convoy::graph
