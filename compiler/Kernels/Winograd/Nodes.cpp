// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The nodes of the Winograd algorithm and their derived matrices, in double precision. Weight
// packing and the transforms use them.

#include "Kernels/Winograd/Nodes.h"
#include "llvm/ADT/STLExtras.h"

namespace convoy::kernels {

llvm::ArrayRef<NodePair> winogradPairs(int64_t tile) {
  static constexpr NodePair kTwo[] = {{1, 1}};
  static constexpr NodePair kFour[] = {{0.70710678118654752440, 0.5}, {1.41421356237309504880, 2}};
  switch (tile) {
  case 2:
    return kTwo;
  case 4:
    return kFour;
  default:
    return {};
  }
}

llvm::SmallVector<std::array<double, 3>> winogradFilterRows(int64_t tile) {
  llvm::SmallVector<double> nodes = {0};
  for (NodePair pair : winogradPairs(tile)) {
    nodes.append({pair.node, -pair.node});
  }
  llvm::SmallVector<std::array<double, 3>> rows;
  for (double node : nodes) {
    double scale = 1;
    for (double other : nodes) {
      scale *= other == node ? 1 : node - other;
    }
    rows.push_back({1 / scale, node / scale, node * node / scale});
  }
  rows.push_back({0, 0, 1}); // at infinity only the highest power remains
  return rows;
}

llvm::SmallVector<double> winogradSquares(int64_t tile, int64_t skipped) {
  llvm::SmallVector<double> product = {1};
  for (auto [i, pair] : llvm::enumerate(winogradPairs(tile))) {
    if (static_cast<int64_t>(i) == skipped) {
      continue;
    }
    product.push_back(0);
    for (size_t power = product.size() - 1; power > 0; --power) {
      product[power] = product[power - 1] - pair.square * product[power];
    }
    product[0] *= -pair.square;
  }
  return product;
}

} // namespace convoy::kernels
