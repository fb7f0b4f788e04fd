// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes the sizes of a band of tiles from a problem and a configuration. TilePlan.h explains how
// the tiles of a band become one vector.

#include "Kernels/WinogradPixels/TilePlan.h"
#include "Kernels/Core/CeilDiv.h"
#include "Kernels/Winograd/Nodes.h"

namespace convoy::kernels {
namespace {

ConvProblem windowOf(const ConvProblem &p, int64_t tile) {
  ConvProblem window = p;
  window.batch = p.batch * p.inputChannels;
  window.inputChannels = window.outputChannels = 1;
  window.kernelRows = window.kernelColumns = winogradSide(tile);
  window.strideRows = window.strideColumns = tile;
  window.outputRows = ceilDiv(p.outputRows, tile);
  window.outputColumns = ceilDiv(p.outputColumns, tile);
  return window;
}

} // namespace

TilePlan::TilePlan(const ConvProblem &p, WinogradPixelsAttr config)
    : tile(config.getTile()), side(winogradSide(tile)), frequencies(side * side),
      tileRows(ceilDiv(p.outputRows, tile)), tileColumns(ceilDiv(p.outputColumns, tile)),
      window(windowOf(p, tile)), band(window, config.getRows(), config.getLanes(), 1),
      groups(ceilDiv(p.outputChannels, config.getChannels())), parts(config.getParts()) {
  int64_t lanes = config.getLanes();
  auto power = static_cast<int64_t>(llvm::PowerOf2Ceil(static_cast<uint64_t>(tileColumns)));
  rowLanes = std::clamp<int64_t>(power, 2, std::max<int64_t>(lanes / tile, 2));
  bandColumns = band.rows * tile * p.outputColumns;
  inputStride = p.inputChannels * lanes;
  productStride = (parts > 1 ? groups : 1) * config.getChannels() * lanes;
  inputAt = 0;
  productsAt = inputAt + frequencies * inputStride;
  partsAt = productsAt + frequencies * productStride;
  halfAt = band.scratchElements();
  resultsAt = halfAt + frequencies * lanes;
  // Vectors are loaded and stored past the last row.
  orderedAt = resultsAt + tile * tile * lanes + 2 * rowLanes;
  // Parts share no cache line.
  partElements = llvm::alignTo(orderedAt + bandColumns + 2 * rowLanes * tile + lanes, 16);
  scratchElements = partsAt + parts * partElements;
}

} // namespace convoy::kernels
