// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a band of output rows becomes one row of lanes. Its input is copied with its
// padding, so that a tap is a distance in memory, the same for all pixels:
//
//     3 x 3, pad 1, 4 columns, 2 rows     0 0 0 0 0 0
//     pitch 6                             0 a b c d 0
//     pixel (r, c) is lane 6 r + c        0 e f g h 0
//     tap (i, j) is 6 i + j further on    0 i j k l 0
//
// The lanes at the end of a row (two of six here) hold nothing and are left out when
// the result is written. With strides, rows and columns are dealt out to planes by
// their remainder, and a tap lies in one of these.

#pragma once

#include "Kernels/ConvDirect/ConvProblem.h"
#include "Kernels/Kernel.h"

namespace convoy::kernels {

struct BandPlan {
  BandPlan(const ConvProblem &problem, int64_t rows, int64_t lanes, int64_t channels);

  int64_t rows;          // of output in a band
  int64_t bands;         // of one image
  int64_t lanes;         // of a vector
  int64_t pitch;         // lanes of a row
  int64_t paddedColumns; // that taps reach, before they are dealt out
  int64_t paddedRows;
  int64_t copiedColumns;  // of the input among them
  int64_t planeRows;      // of one plane
  int64_t dealtLanes = 0; // of a vector that is dealt out, with strides. Where it is more
                          // than a row has, the next row overwrites what is beyond
  int64_t plane;          // elements of one
  int64_t channel;        // elements of all planes of an input channel
  int64_t tiles;          // vectors of a band
  // Scratch, in elements.
  int64_t inputElements; // with what the last vector reads beyond
  int64_t sumElements;   // of the output channels of a tile
  int64_t rowElements;   // a padded row before it is dealt out

  int64_t scratchElements() const { return inputElements + sumElements + rowElements; }
  /// Distance of a tap from lane 0.
  int64_t tapOffset(const ConvProblem &problem, int64_t row, int64_t column) const;
};

/// The widest vector of a power of two that `count` elements fill.
int64_t widthFor(int64_t count, int64_t most);
/// The least power of two that is no less than `count`.
int64_t powerFrom(int64_t count);

} // namespace convoy::kernels
