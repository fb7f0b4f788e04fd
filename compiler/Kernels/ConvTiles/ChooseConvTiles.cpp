// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bands and tiles by a model of what each part of the work takes. A band whose copy
// stays in the first-level cache has its tiles of pixels from there; weights come from
// the second, or once per band from the first when a panel of them fits beside.

#include "Kernels/ConvDot/ConvDot.h"
#include "Kernels/ConvTiles/ConvTiles.h"
#include "Kernels/ConvTiles/TileBand.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

// Measured on Sapphire and Emerald Rapids, in cycles: a product of tiles, a tile from
// either cache, a copied block of 16 bytes, what is left to do for a vector of sums, and
// the start of a group of tiles with the stores of their sums.
constexpr double kProductCycles = 20;
constexpr double kNearLoadCycles = 9;
constexpr double kFarLoadCycles = 22;
constexpr double kCopyCycles = 1.5;
constexpr double kFinishCycles = 8;
constexpr double kStoreCycles = 24;
/// Tasks that a kernel is cut into.
constexpr int64_t kTasks = 8;
/// Taps are unrolled.
constexpr int64_t kMostTaps = 25;
constexpr int64_t kMostTiles = 4;
/// A tile is copied to in vectors of 16 lanes.
constexpr int64_t kTileLanes = 16;

int64_t ceilDiv(int64_t x, int64_t d) { return (x + d - 1) / d; }

/// Tasks are bands; few bands are cut along output channels too.
int64_t panelsOf(const ConvProblem &p, int64_t rows) {
  int64_t blocks = ceilDiv(p.outputChannels, kTileLanes);
  int64_t bands = p.batch * ceilDiv(p.outputRows, rows);
  return ceilDiv(blocks, std::min(ceilDiv(kTasks, bands), blocks));
}

double cyclesOf(const ConvProblem &p, int64_t rows, int64_t tiles, const Machine &machine) {
  TileBand band(p, rows, tiles);
  auto near = static_cast<double>(machine.firstCacheBytes) * 0.8;
  auto bands = static_cast<double>(p.batch * ceilDiv(p.outputRows, rows));
  auto blocks = static_cast<double>(ceilDiv(p.outputChannels, kTileLanes));
  auto groups = static_cast<double>(band.groups());
  auto count = static_cast<double>(tiles);
  auto steps = static_cast<double>(band.layers() * p.taps());
  int64_t pixels = band.rowPlanes() * band.columnPlanes() * band.planePixels();
  auto input = static_cast<double>(band.layers() * pixels * kTileRowBytes);
  double panel = steps * kTileBytes;
  double pixelLoad = input <= near ? kNearLoadCycles : kFarLoadCycles;
  bool isPanelKept = groups > 1 && panel + std::min(input, near / 2) <= near;
  double weightLoad =
      isPanelKept ? kNearLoadCycles + (kFarLoadCycles - kNearLoadCycles) / groups : kFarLoadCycles;
  double step = std::max(count * kProductCycles, count * pixelLoad + weightLoad);
  double products = bands * blocks * groups * (steps * step + count * kStoreCycles);
  auto copied = static_cast<double>(pixels * ceilDiv(p.inputChannels, kTileLanes));
  auto results = static_cast<double>(p.batch * p.outputRows * p.outputColumns) * blocks;
  return products + bands * copied * kCopyCycles + results * kFinishCycles;
}

} // namespace

std::string whyNotConvTiles(const ConvKernel &kernel) {
  const ConvProblem &p = kernel.problem;
  if (std::string reason = whyNotConvDot(kernel, kTileLanes); !reason.empty()) {
    return reason;
  }
  if (p.isMatrix || p.groups != 1) {
    return "it is no convolution of all channels";
  }
  if (p.taps() > kMostTaps) {
    return "it has more than " + std::to_string(kMostTaps) + " taps";
  }
  return p.dilationRows == 1 && p.dilationColumns == 1 ? "" : "its taps are not side by side";
}

std::string whyNotConvTiles(const ConvKernel &kernel, ConvTilesAttr config) {
  int64_t blocks = ceilDiv(kernel.problem.outputChannels, kTileLanes);
  if (blocks % config.getVectors() != 0 || config.getPanels() % config.getVectors() != 0) {
    return "output channels are " + std::to_string(blocks) + " blocks, which tiles of " +
           std::to_string(config.getVectors()) + " do not fit";
  }
  if (config.getRows() > kernel.problem.outputRows) {
    return "it has " + std::to_string(kernel.problem.outputRows) + " rows, bands have " +
           std::to_string(config.getRows());
  }
  return whyNotConvTiles(kernel);
}

std::optional<ConvTilesChoice> chooseConvTiles(const ConvKernel &kernel, const Machine &machine,
                                               MLIRContext *context) {
  if (!machine.hasTiles || machine.lanes() != kTileLanes || !whyNotConvTiles(kernel).empty()) {
    return std::nullopt;
  }
  const ConvProblem &p = kernel.problem;
  std::optional<ConvTilesChoice> best;
  for (int64_t tiles = 1; tiles <= kMostTiles; ++tiles) {
    for (int64_t rows = 1; rows <= p.outputRows; ++rows) {
      bool isLarge = TileBand(p, rows, tiles).inputBytes() > machine.secondCacheBytes / 4;
      if (isLarge && rows > 1) {
        break;
      }
      double cycles = cyclesOf(p, rows, tiles, machine);
      if (!best || cycles < best->cycles) {
        best = {
            ConvTilesAttr::get(context, kTileLanes, tiles, /*vectors=*/1, rows, panelsOf(p, rows)),
            cycles};
      }
    }
  }
  return best;
}

Attribute convTilesWeights(const ConvKernel &kernel, ConvTilesAttr config) {
  return DotWeightsAttr::get(config.getContext(), config.getBlock(), kTileRowBytes,
                             /*transposed=*/false, zeroByte(*kernel.integers));
}

} // namespace convoy::kernels
