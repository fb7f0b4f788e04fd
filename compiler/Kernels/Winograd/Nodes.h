// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The polynomials behind F(m x m, 3 x 3). A row of m results of a 3-tap filter is a product of
// polynomials. The algorithm computes it from the values at m + 1 nodes and at infinity:
//
//     frequency   0    1    2    3    4   ...   m + 1
//     node        0   +p   -p   +q   -q         infinity
//
// Nodes come in pairs of opposite sign, so each transform shares its even and odd halves between
// two frequencies. For m = 4 the nodes are +-sqrt(1/2) and +-sqrt(2). Their error is about half the
// error of the usual nodes 1 and 2, at the same number of operations.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <array>

namespace convoy::kernels {

/// Returns the number of frequencies along one dimension of a tile.
constexpr int64_t winogradSide(int64_t tile) { return tile + 2; }

/// Two nodes of opposite sign.
struct NodePair {
  double node;   // the positive node
  double square; // its exact square
};

/// Returns the node pairs of a tile of 2 or 4; empty for any other size.
llvm::ArrayRef<NodePair> winogradPairs(int64_t tile);

/// Returns one row per frequency: the factors of the three taps of a filter.
llvm::SmallVector<std::array<double, 3>> winogradFilterRows(int64_t tile);

/// Returns the coefficients, lowest first and in powers of x * x, of the product of (x * x - p * p)
/// over all pairs except pair `skipped` (-1 skips none).
llvm::SmallVector<double> winogradSquares(int64_t tile, int64_t skipped);

} // namespace convoy::kernels
