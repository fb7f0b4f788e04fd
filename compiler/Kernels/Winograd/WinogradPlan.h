// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The split of a Winograd convolution into tiles, tasks and scratch memory, shared by the cost
// model and the emitter.
//
// The tiles of all images form one sequence, which is split into groups of nearly equal size. The
// accumulators hold one group. Groups have at most two sizes, and the longer ones come first. A
// task processes `groups` groups and one chunk of output channels. On machines with long vectors, a
// layer with few tasks runs in rounds instead, whose tasks share the transformed input and the
// products of all tiles.

#pragma once

#include "Kernels/Convolution/ConvProblem.h"
#include "Kernels/Kernel.h"
#include <vector>

namespace convoy::kernels {

struct WinogradPlan {
  WinogradPlan(const ConvProblem &problem, WinogradAttr config);

  int64_t tile, side, frequencies;
  // Tiles.
  int64_t tileRows, tileColumns, tiles;
  int64_t groups; // groups of all tiles
  int64_t longer; // number of groups with groupTiles tiles; the remaining groups have one tile less
  int64_t groupTiles;
  // Tasks.
  int64_t tileBlocks; // runs of groups, one per task
  int64_t blockTiles; // maximum tiles per run
  int64_t chunks;     // chunks of output channels
  int64_t inputBlocks, outputBlocks, panels;
  int64_t passes; // passes over input channels
  bool hasRounds; // see above; the fields of tasks then describe a single task
  // Scratch memory, in elements: [frequency][channel block][tile][lane], for the transformed input
  // and for the products of a chunk, or of all chunks with rounds.
  int64_t inputPlane, inputStride;
  int64_t productPlane, productStride;

  /// Returns the number of result rows of one image that are done after each run of groups, or -1
  /// if a run ends inside a row of tiles.
  std::vector<int64_t> rowEnds(const ConvProblem &problem, int64_t groupsPerTask) const;
  int64_t scratchElements() const { return frequencies * (inputStride + productStride); }
};

} // namespace convoy::kernels
