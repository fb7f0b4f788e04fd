// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the tiles of a band become one vector. A tile reads a window of tile + 2 columns
// and rows and the next begins `tile` further on: a band of windows with that stride,
// dealt out to planes as BandPlan.h draws it. Pixel (i, j) of all tiles of the band is
// then one load.

#pragma once

#include "Kernels/ConvPixels/BandPlan.h"
#include "Kernels/Kernel.h"

namespace convoy::kernels {

struct TilePlan {
  TilePlan(const ConvProblem &problem, WinogradPixelsAttr config);

  int64_t tile, side, frequencies;
  int64_t tileRows, tileColumns;
  ConvProblem window; // of one input channel; an image is a plane
  BandPlan band;      // of tiles
  int64_t groups;     // of output channels
  int64_t chunks;     // of groups: what tasks take
  /// Tiles of a row that are put in order together: those beyond the row are
  /// written where the next row begins, before that is.
  int64_t rowLanes;
  int64_t bandColumns; // results of a row of a band

  // Scratch behind that of the copy, in elements: [frequency][channel][lane] of the
  // transformed input, [frequency][channel of a group][lane] of products, a tile
  // between its transforms, results by their place in a tile, and in order.
  int64_t inputStride, productStride;
  int64_t inputAt, productsAt, halfAt, resultsAt, orderedAt, scratchElements;
};

} // namespace convoy::kernels
