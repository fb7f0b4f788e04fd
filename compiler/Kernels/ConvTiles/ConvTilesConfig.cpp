// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the numbers of a conv_tiles configuration in isolation.

#include "Kernels/CheckNumbers.h"
#include "Kernels/Kernel.h"

using namespace mlir;

namespace convoy::kernels {

LogicalResult ConvTilesAttr::verify(EmitError emitError, int64_t block, int64_t tiles,
                                    int64_t vectors, int64_t rows, int64_t panels) {
  LogicalResult numbers = checkNumbers(
      emitError, {{"tiles", tiles}, {"vectors", vectors}, {"rows", rows}, {"panels", panels}});
  if (failed(numbers)) {
    return numbers;
  }
  if (block != 16) {
    return emitError() << "expects block to be 16, the number of columns of a tile, got " << block;
  }
  constexpr int64_t kTileRegisters = 8;
  if (tiles > kTileRegisters || vectors > kTileRegisters ||
      vectors * (tiles + 1) + 1 > kTileRegisters) {
    return emitError() << "expects the tiles of sums, weights and pixels to fit in "
                       << kTileRegisters << " registers, got " << tiles << " x " << vectors
                       << " tiles of sums";
  }
  return success();
}

} // namespace convoy::kernels
