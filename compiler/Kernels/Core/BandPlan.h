// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layout of a band of output rows as one row of lanes. The templates copy the input of a band
// with its padding, so that a tap is the same distance in memory for all pixels:
//
//     3 x 3, pad 1, 4 columns, 2 rows     0 0 0 0 0 0
//     pitch 6                             0 a b c d 0
//     pixel (r, c) is lane 6 r + c        0 e f g h 0
//     tap (i, j) is 6 i + j lanes later   0 i j k l 0
//
// The lanes at the end of a row (two of six here) hold no result and are skipped when the result is
// stored. With strides, rows and columns are distributed to planes by their remainder modulo the
// stride, and each tap reads one plane.

#pragma once

#include "Kernels/Convolution/ConvProblem.h"
#include "Kernels/Kernel.h"

namespace convoy::kernels {

struct BandPlan {
  BandPlan(const ConvProblem &problem, int64_t rows, int64_t lanes, int64_t channels);

  int64_t rows;          // output rows per band
  int64_t bands;         // bands per image
  int64_t lanes;         // lanes per vector
  int64_t pitch;         // lanes per row
  int64_t paddedColumns; // columns that taps read, before distribution to planes
  int64_t paddedRows;
  int64_t copiedColumns; // input columns among the padded columns
  int64_t planeRows;     // rows per plane
  int64_t dealtLanes =
      0;         // lanes per distributed vector with strides; the next row overwrites excess lanes
  int64_t plane; // elements per plane
  int64_t channel; // elements of all planes of an input channel
  int64_t tiles;   // vectors per band
  // Sizes of scratch memory, in elements.
  int64_t inputElements; // includes the elements that the last vector reads past the end
  int64_t sumElements;   // of the output channels of a tile
  int64_t rowElements;   // a padded row before distribution

  int64_t scratchElements() const { return inputElements + sumElements + rowElements; }
  /// Returns the distance of a tap from lane 0.
  int64_t tapOffset(const ConvProblem &problem, int64_t row, int64_t column) const;
};

} // namespace convoy::kernels
