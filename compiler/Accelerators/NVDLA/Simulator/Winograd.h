// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Winograd convolution F(2 x 2, 3 x 3): the transform of an input tile before the products, and of
// the sums after them. Weights are already transformed.

#pragma once

#include "Accelerators/NVDLA/Simulator/Jobs.h"

namespace convoy::nvdla {

/// Elements of a tile of 4 x 4, row by row.
constexpr unsigned kTile = 16;
/// Channels of a tile that share one entry of the convolution buffer.
constexpr unsigned kTileChannels = 4;

/// Applies the pre-addition to one channel of a tile: differences of rows, then of columns. fp16
/// numbers are rounded to 11 bits after each step and saturate. Integers keep all bits, are shifted
/// by pra_truncate, and saturate to their width.
void preAdd(const float *in, float *out);
void preAdd(const int16_t *in, unsigned truncate, unsigned bits, int16_t *out);

/// Computes four outputs, row by row, from sixteen sums.
template <typename Sum>
void postAdd(const Sum *in, Sum *out) {
  Sum rows[8]; // two rows of four columns
  for (unsigned x = 0; x < 4; ++x) {
    rows[x] = in[x] + in[4 + x] + in[8 + x];
    rows[4 + x] = in[4 + x] - in[8 + x] - in[12 + x];
  }
  for (unsigned y = 0; y < 2; ++y) {
    const Sum *row = rows + size_t(4) * y;
    out[2 * y] = row[0] + row[1] + row[2];
    out[2 * y + 1] = row[1] - row[2] - row[3];
  }
}

} // namespace convoy::nvdla
