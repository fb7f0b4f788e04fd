// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a row of pixels is cut into register tiles, and which taps of which pixels
// fall outside the input. That is settled here, when code is made, so that the
// code of an edge tile simply lacks those multiplications:
//
//     56 pixels, 14 to a tile, 3 taps, pad 1
//     [edge: pixel 0 lacks tap 0] [inside] [inside] [edge: pixel 13 lacks tap 2]

#pragma once

#include "Kernels/ConvDirect/ConvProblem.h"
#include <vector>

namespace convoy::kernels {

/// `count` neighbouring tiles of one size that share code.
struct TileRun {
  int64_t first = 0; // column of the first pixel
  int64_t pixels = 0;
  int64_t count = 1;
  bool isInside = true; // no tap of any pixel leaves the input
};

/// One dimension of a window.
struct Window {
  int64_t input, kernel, stride, dilation, pad;

  bool isValid(int64_t output, int64_t tap) const {
    int64_t at = output * stride + tap * dilation - pad;
    return at >= 0 && at < input;
  }
};

/// Cuts `pixels` into the fewest tiles of at most `most`, as even as can be.
std::vector<TileRun> cutRow(int64_t pixels, int64_t most, const Window &window);

} // namespace convoy::kernels
