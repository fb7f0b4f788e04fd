// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the cost model of winograd. With few tiles, the products are bound by loading weights
// from memory. This decides between tiles of 4, tiles of 2 and direct convolution.

#include "Kernels/Winograd/WinogradModel.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

constexpr int64_t kFmaLatency = 4;
constexpr double kLoadsPerCycle = 2;
/// Measured share of the product cycles that are multiplications.
constexpr double kProductShare = 0.9;
/// Bytes of weights per cycle that one core loads from outside its own caches. In a network, no
/// weights remain in these caches from the previous inference.
constexpr double kWeightBytesPerCycle = 4.5;
constexpr double kTieShare = 0.02;
/// Measured cycles per vector of the input and output transforms, including cache misses.
constexpr double kInputCycles = 6;
constexpr double kOutputCycles = 4;
/// Channels per pass, so that 16 KiB of weights stay in the first-level cache.
constexpr int64_t kPassChannels = 128;
/// Numbers of tiles per task. A task takes all tiles if there are at most kFewTiles; otherwise it
/// takes kEnoughTiles, which reuses weights enough. With more tiles, the input would leave the
/// second-level cache.
constexpr int64_t kFewTiles = 56;
constexpr int64_t kEnoughTiles = 28;
/// Maximum number of output channels per task.
constexpr int64_t kChunkChannels = 128;
/// Channels per innermost step with long vectors; see ConvDirectModel.cpp.
constexpr int64_t kLongStepDepth = 8;
/// Number of tasks with long vectors.
constexpr int64_t kLongTasks = 64;

} // namespace

bool WinogradModel::canCut(int64_t vectors) const {
  return ceilDiv(p.outputChannels, block) % vectors == 0 && mostPixels(vectors) > 0;
}

int64_t WinogradModel::tiles(int64_t tile) const {
  return p.batch * ceilDiv(p.outputRows, tile) * ceilDiv(p.outputColumns, tile);
}

WinogradModel::Parameters WinogradModel::rule(int64_t tile, int64_t vectors) const {
  int64_t count = tiles(tile);
  if (m.hasLongVectors()) {
    // Long vectors stream weights past all caches, so one pass suffices.
    int64_t all = std::max<int64_t>(p.inputChannels, 1);
    return {tile,           vectors, mostPixels(vectors), longTilesPerTask(tile, vectors),
            kChunkChannels, all,     kLongStepDepth};
  }
  return {tile,
          vectors,
          mostPixels(vectors),
          count <= kFewTiles ? count : kEnoughTiles,
          kChunkChannels,
          kPassChannels,
          block};
}

/// Returns the tiles per task. With long vectors there are few panels, so tasks are split along
/// groups of tiles.
int64_t WinogradModel::longTilesPerTask(int64_t tile, int64_t vectors) const {
  int64_t count = tiles(tile);
  int64_t pixels = ceilDiv(count, ceilDiv(count, std::max<int64_t>(mostPixels(vectors), 1)));
  int64_t panels = ceilDiv(p.outputChannels, block * vectors);
  return std::max<int64_t>(ceilDiv(count, pixels) * panels / kLongTasks, 1) * pixels;
}

WinogradAttr WinogradModel::configure(const Parameters &choice, MLIRContext *context) const {
  int64_t count = tiles(choice.tile);
  int64_t pixels = ceilDiv(count, ceilDiv(count, choice.pixels));
  int64_t groups = ceilDiv(count, pixels);
  int64_t perTask =
      choice.tilesPerTask >= count ? groups : std::max<int64_t>(choice.tilesPerTask / pixels, 1);
  perTask = ceilDiv(groups, ceilDiv(groups, perTask));
  int64_t panels = ceilDiv(p.outputChannels, block * choice.vectors);
  int64_t passes = ceilDiv(p.inputChannels, choice.passChannels);
  int64_t depth = ceilDiv(ceilDiv(p.inputChannels, passes), block) * block;
  return WinogradAttr::get(context, block, choice.tile, choice.vectors, pixels, perTask,
                           panelsPerTask(choice, panels, ceilDiv(groups, perTask)), depth,
                           choice.unroll);
}

/// Returns the panels per task, so that a chunk has few channels and the number of tasks balances
/// the load.
int64_t WinogradModel::panelsPerTask(const Parameters &choice, int64_t panels,
                                     int64_t tileBlocks) const {
  constexpr int64_t kFewTasks = 8;
  constexpr int64_t kManyTasks = 32;
  int64_t most = std::max<int64_t>(choice.chunkChannels / (choice.vectors * block), 1);
  for (int64_t perTask = std::min(most, panels); perTask > 1; --perTask) {
    int64_t tasks = tileBlocks * (panels / perTask);
    bool isShared = tasks >= kManyTasks || (tasks >= kFewTasks && tasks % 2 == 0);
    if (panels % perTask == 0 && isShared) {
      return perTask;
    }
  }
  return 1;
}

double WinogradModel::cycles(WinogradAttr config) const {
  WinogradPlan plan(p, config);
  return productCycles(plan, config) + transformCycles(plan, config);
}

double WinogradModel::productCycles(const WinogradPlan &plan, WinogradAttr config) const {
  double vectors = static_cast<double>(config.getVectors());
  double latency = m.hasLongVectors() ? 0 : kFmaLatency; // long vectors hide the latency
  auto step = [&](int64_t tiles) {
    double pixels = static_cast<double>(tiles);
    return std::max({vectors * pixels / static_cast<double>(m.multiplyAddsPerCycle()),
                     (vectors + pixels) / kLoadsPerCycle, latency});
  };
  double steps = static_cast<double>(plan.longer) * step(plan.groupTiles) +
                 static_cast<double>(plan.groups - plan.longer) * step(plan.groupTiles - 1);
  auto rows = static_cast<double>(plan.frequencies * plan.panels * p.inputChannels);
  double weightBytes = rows * vectors * static_cast<double>(block * 4);
  double multiply = rows * steps / kProductShare;
  if (m.hasLongVectors()) {
    return multiply; // in vector instructions, as in all models of long vectors
  }
  double fetch = weightBytes / kWeightBytesPerCycle;
  // Multiplications and loads overlap. The second term breaks ties in favour of less work.
  return std::max(multiply, fetch) + kTieShare * std::min(multiply, fetch);
}

double WinogradModel::transformCycles(const WinogradPlan &plan, WinogradAttr config) const {
  auto vectors = static_cast<double>(plan.frequencies * plan.tiles);
  return vectors * (kInputCycles * static_cast<double>(plan.inputBlocks) +
                    kOutputCycles * static_cast<double>(plan.outputBlocks));
}

} // namespace convoy::kernels
