// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes the sizes of a Winograd convolution from a problem and a configuration. WinogradPlan.h
// explains how tiles are split into groups and tasks.

#include "Kernels/Winograd/WinogradPlan.h"
#include "Kernels/Core/CeilDiv.h"
#include "Kernels/Core/PartRounds.h"
#include "Kernels/Machine.h"
#include "Kernels/Winograd/Nodes.h"

namespace convoy::kernels {
namespace {

constexpr int64_t kLineElements = 16; // f32 elements per cache line

/// Rounds up to an odd number of cache lines. A transform accesses all frequencies of a tile, and
/// an even distance would map them to few sets of the first-level cache.
int64_t oddLines(int64_t elements) {
  return (ceilDiv(elements, kLineElements) | 1) * kLineElements;
}

} // namespace

WinogradPlan::WinogradPlan(const ConvProblem &p, WinogradAttr config)
    : tile(config.getTile()), side(winogradSide(tile)), frequencies(side * side),
      tileRows(ceilDiv(p.outputRows, tile)), tileColumns(ceilDiv(p.outputColumns, tile)),
      tiles(p.batch * tileRows * tileColumns), groups(ceilDiv(tiles, config.getPixels())) {
  groupTiles = ceilDiv(tiles, groups);
  longer = tiles - groups * (groupTiles - 1);
  tileBlocks = ceilDiv(groups, config.getGroups());
  blockTiles = std::min(config.getGroups(), groups) * groupTiles;
  int64_t block = config.getBlock();
  inputBlocks = ceilDiv(p.inputChannels, block);
  outputBlocks = ceilDiv(p.outputChannels, block);
  panels = ceilDiv(outputBlocks, config.getVectors());
  chunks = ceilDiv(panels, config.getPanels());
  passes = ceilDiv(p.inputChannels, config.getDepth());
  hasRounds = block * 4 >= kLongVectorBytes && tileBlocks * chunks < kPlainTasks;
  if (hasRounds) {
    tileBlocks = 1;
    blockTiles = tiles;
  }
  int64_t productChunks = hasRounds ? chunks : 1;
  inputPlane = productPlane = blockTiles * block;
  inputStride = oddLines(inputBlocks * inputPlane);
  productStride = oddLines(productChunks * config.getPanels() * config.getVectors() * productPlane);
}

std::vector<int64_t> WinogradPlan::rowEnds(const ConvProblem &problem,
                                           int64_t groupsPerTask) const {
  std::vector<int64_t> ends;
  for (int64_t i = 1; i <= tileBlocks; ++i) {
    int64_t group = std::min(i * groupsPerTask, groups);
    int64_t done = group * groupTiles - std::max<int64_t>(group - longer, 0); // tiles
    ends.push_back(done % tileColumns == 0 ? std::min(done / tileColumns * tile, problem.outputRows)
                                           : -1);
  }
  return ends;
}

} // namespace convoy::kernels
