// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which part of its operands an op reads to give part of its result: tiles with
// halos. The one answer for whoever cuts layers into pieces, threads and devices
// alike.

#pragma once

#include "mlir/IR/Operation.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace convoy::graph {

/// Indices [first, first + count) of one dimension.
struct Range {
  int64_t first = 0;
  int64_t count = 0;
  bool operator==(const Range &other) const { return first == other.first && count == other.count; }
};

/// A box: one range per dimension.
using Region = llvm::SmallVector<Range, 4>;

/// How a window moves along one dimension.
struct Window {
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t padBefore = 0;
};

/// What windows read: a range that exists, and how many taps lie before and behind it.
/// The range is empty where all taps are padding.
struct WindowReads {
  Range range;
  int64_t padBefore = 0;
  int64_t padAfter = 0;
};

/// The input of output indices `outputs` of a window, in a dimension of `extent`.
WindowReads readsOfWindow(const Window &window, Range outputs, int64_t extent);

/// The whole of a tensor type with static shape.
Region wholeOf(mlir::Value value);

/// The box of operand `operand` that holds all elements that `result` of the op's first
/// result depends on: exact for convolutions, pools, element-wise ops, transposes and
/// concatenations, the whole operand for ops without a rule. Dimensions may come out
/// empty: a concatenation's operand that is not touched.
Region inferOperandRegion(mlir::Operation *op, unsigned operand, llvm::ArrayRef<Range> result);

} // namespace convoy::graph
