// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a convolution is cut into tiles, tasks and scratch memory: what the cost
// model and the emitter must agree on.
//
// Tiles of all images are one row, cut into groups as even as can be; a group is
// what the accumulators hold, so there are at most two sizes of them, and the
// longer ones come first. A task takes `groups` of them and one chunk of output
// channels.

#pragma once

#include "Kernels/ConvDirect/ConvProblem.h"
#include "Kernels/Kernel.h"
#include <vector>

namespace convoy::kernels {

struct WinogradPlan {
  WinogradPlan(const ConvProblem &problem, WinogradAttr config);

  int64_t tile, side, frequencies;
  // Tiles.
  int64_t tileRows, tileColumns, tiles;
  int64_t groups; // of all tiles
  int64_t longer; // so many of them hold groupTiles, the others one less
  int64_t groupTiles;
  // Tasks.
  int64_t tileBlocks; // runs of groups that a task takes
  int64_t blockTiles; // most tiles of one
  int64_t chunks;     // of output channels
  int64_t inputBlocks, outputBlocks, panels;
  int64_t passes; // over input channels
  // Scratch, in elements: [frequency][channel block][tile][lane], for the
  // transformed input and for the products of a chunk.
  int64_t inputPlane, inputStride;
  int64_t productPlane, productStride;
  /// The rows of the result that are done after each run of groups, from the first on; -1
  /// when a run ends inside a row of tiles. Of one image.
  std::vector<int64_t> rowEnds(const ConvProblem &problem, int64_t groupsPerTask) const;
  int64_t scratchElements() const { return frequencies * (inputStride + productStride); }
};

} // namespace convoy::kernels
