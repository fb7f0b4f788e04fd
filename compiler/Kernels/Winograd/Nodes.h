// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The polynomials behind F(m x m, 3 x 3). A row of m results of a 3-tap filter is
// a product of polynomials, found from its values at m + 1 nodes and at infinity:
//
//     frequency   0    1    2    3    4   ...   m + 1
//     node        0   +p   -p   +q   -q         infinity
//
// Nodes come in pairs of opposite sign, so that each transform shares the even and
// the odd half between two frequencies. For m = 4 the pairs are the roots of 1/2
// and of 2: about half the error of the usual 1 and 2 at the same work.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <array>

namespace convoy::kernels {

/// Frequencies of one dimension of a tile.
constexpr int64_t winogradSide(int64_t tile) { return tile + 2; }

/// Two nodes of opposite sign.
struct NodePair {
  double node;   // the positive one
  double square; // exactly
};

/// The pairs of a tile of 2 or 4; empty for any other.
llvm::ArrayRef<NodePair> winogradPairs(int64_t tile);

/// One row per frequency: what a filter of three taps is multiplied with.
llvm::SmallVector<std::array<double, 3>> winogradFilterRows(int64_t tile);

/// Coefficients, lowest first and in powers of x * x, of the product of
/// (x * x - p * p) over the pairs, without pair `skipped` (-1 skips none).
llvm::SmallVector<double> winogradSquares(int64_t tile, int64_t skipped);

} // namespace convoy::kernels
