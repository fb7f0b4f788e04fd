// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layout of the tiles of a band as one vector. Each tile reads a window of tile + 2 rows and
// columns, and adjacent windows are `tile` pixels apart. This is a band of windows with that
// stride, distributed to planes as in BandPlan.h. One load then reads pixel (i, j) of all tiles of
// the band.

#pragma once

#include "Kernels/Core/BandPlan.h"
#include "Kernels/Kernel.h"

namespace convoy::kernels {

struct TilePlan {
  TilePlan(const ConvProblem &problem, WinogradPixelsAttr config);

  int64_t tile, side, frequencies;
  int64_t tileRows, tileColumns;
  ConvProblem window; // one input channel; each plane is an image
  BandPlan band;      // rows and columns count tiles
  int64_t groups;     // groups of output channels
  int64_t parts;      // tasks of a round that share a band; 1: each task computes a band
  /// Tiles of a row that are interleaved together. Results past the end of a row are overwritten by
  /// the next row.
  int64_t rowLanes;
  int64_t bandColumns; // results per band and output channel

  // Scratch memory, in elements: the transformed input [frequency][channel][lane] and the products
  // [frequency][channel][lane] of a group, or of all groups if tasks share a band.
  int64_t inputStride, productStride;
  int64_t inputAt, productsAt;
  // Then the memory of each part: the copy of a band, a tile between its two transforms, results by
  // position in the tile, and interleaved results. The last four are relative to the part.
  int64_t partsAt, partElements;
  int64_t halfAt, resultsAt, orderedAt;
  int64_t scratchElements;
};

} // namespace convoy::kernels
