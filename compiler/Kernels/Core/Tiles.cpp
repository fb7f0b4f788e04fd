// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits rows into register tiles. Cost models and emitters call the same function, so both see the
// same tiles.

#include "Kernels/Core/Tiles.h"

namespace convoy::kernels {

static bool isTileInside(int64_t first, int64_t pixels, const WindowAxis &window) {
  return window.isValid(first, 0) && window.isValid(first + pixels - 1, window.kernel - 1);
}

std::vector<TileRun> cutRow(int64_t pixels, int64_t most, const WindowAxis &window) {
  int64_t tiles = (pixels + most - 1) / most;
  int64_t longer = pixels % tiles; // tiles with one more pixel
  std::vector<TileRun> runs;
  int64_t first = 0;
  for (int64_t i = 0; i < tiles; ++i) {
    int64_t size = pixels / tiles + (i < longer ? 1 : 0);
    bool isInside = isTileInside(first, size, window);
    bool joins = !runs.empty() && isInside && runs.back().isInside && runs.back().pixels == size;
    if (joins) {
      ++runs.back().count;
    } else {
      runs.push_back({first, size, 1, isInside});
    }
    first += size;
  }
  return runs;
}

} // namespace convoy::kernels
