// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code at the edges of the input: the rows of taps that are inside, and code per tap for tiles
// that reach beyond a row (Tiles.h).

#pragma once

#include "Kernels/Core/LoopNest.h"
#include "Kernels/Core/Tiles.h"

namespace convoy::kernels {

/// Returns whether a window reaches beyond the rows of the input.
bool hasRowPadding(const ConvProblem &problem);

/// Returns the range [low, high) of the rows of taps of a result row that are inside the input. If
/// `isClamped` is set, 0 <= low <= high holds also for windows that are completely outside.
std::pair<mlir::Value, mlir::Value> tapRows(LoopNest &nest, const ConvProblem &problem,
                                            mlir::Value row, bool isClamped = false);

/// Emits inside() if `row` is a row of the input, and otherwise outside(), which may be null. If no
/// window reaches beyond the rows of the input, the code has no condition.
void branchOnRow(LoopNest &nest, const ConvProblem &problem, mlir::Value row,
                 llvm::function_ref<void()> inside, llvm::function_ref<void()> outside = nullptr);

/// Emits a switch over the taps of a row with one case per set of pixels that a tap of an edge tile
/// skips. `firstTaps` has the first tap of each case, in ascending order from 0. body() gets the
/// tap, and the first tap of its case. Straight-line code would let LLVM keep pixels that several
/// taps read in registers, which the accumulators need.
LoopNest::Values
switchTaps(LoopNest &nest, llvm::ArrayRef<int64_t> firstTaps, int64_t taps, mlir::Value tap,
           mlir::TypeRange types,
           llvm::function_ref<LoopNest::Values(mlir::Value tap, int64_t first)> body);

} // namespace convoy::kernels
