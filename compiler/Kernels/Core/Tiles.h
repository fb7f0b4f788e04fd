// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The split of a row of pixels into register tiles, and the taps that fall outside the input. The
// templates resolve this at compile time, so the code of an edge tile omits the multiplications of
// taps outside the input:
//
//     56 pixels, 14 to a tile, 3 taps, pad 1
//     [edge: pixel 0 lacks tap 0] [inside] [inside] [edge: pixel 13 lacks tap 2]

#pragma once

#include "Kernels/Convolution/ConvProblem.h"
#include <vector>

namespace convoy::kernels {

/// `count` adjacent tiles of the same size that share code.
struct TileRun {
  int64_t first = 0; // column of the first pixel
  int64_t pixels = 0;
  int64_t count = 1;
  bool isInside = true; // all taps of all pixels are inside the input
};

/// A window along one dimension.
struct WindowAxis {
  int64_t input, kernel, stride, dilation, pad;

  bool isValid(int64_t output, int64_t tap) const {
    int64_t at = output * stride + tap * dilation - pad;
    return at >= 0 && at < input;
  }
};

/// Splits `pixels` into the fewest tiles of at most `most` pixels, of nearly equal size.
std::vector<TileRun> cutRow(int64_t pixels, int64_t most, const WindowAxis &window);

} // namespace convoy::kernels
