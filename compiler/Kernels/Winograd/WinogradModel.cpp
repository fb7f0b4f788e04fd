// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Few tiles make the products wait for weights from memory; that is what decides
// between tiles of 4, tiles of 2 and direct convolution.

#include "Kernels/Winograd/WinogradModel.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

constexpr int64_t kFmaLatency = 4;
constexpr double kLoadsPerCycle = 2;
/// Share of the cycles of products that are multiplications: measured.
constexpr double kProductShare = 0.9;
/// Bytes of weights per cycle: what one core gets from beyond its own caches. In
/// a network no weights are left there from the inference before.
constexpr double kWeightBytesPerCycle = 4.5;
constexpr double kTieShare = 0.02;
/// Cycles per vector that enters or leaves the products: measured, with its
/// cache misses.
constexpr double kInputCycles = 6;
constexpr double kOutputCycles = 4;
/// Channels of a pass: 16 KiB of weights stay in the first-level cache.
constexpr int64_t kPassChannels = 128;
/// Enough tiles of a task to use weights often; all of them when they are few. Beyond
/// that their input would only leave the second-level cache.
constexpr int64_t kFewTiles = 56;
constexpr int64_t kEnoughTiles = 28;
/// Output channels of a task, at most.
constexpr int64_t kChunkChannels = 128;
/// Channels of an innermost step of long vectors; see ConvDirectModel.cpp.
constexpr int64_t kLongStepDepth = 8;
/// Tasks of long vectors.
constexpr int64_t kLongTasks = 64;

} // namespace

bool WinogradModel::canCut(int64_t vectors) const {
  return ceilDiv(p.outputChannels, block) % vectors == 0 && mostPixels(vectors) > 0;
}

int64_t WinogradModel::tiles(int64_t tile) const {
  return p.batch * ceilDiv(p.outputRows, tile) * ceilDiv(p.outputColumns, tile);
}

WinogradModel::Choice WinogradModel::rule(int64_t tile, int64_t vectors) const {
  int64_t count = tiles(tile);
  if (m.hasLongVectors()) {
    // They stream weights past any cache: one pass.
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

/// Long vectors leave few panels: groups of tiles are what there is to share.
int64_t WinogradModel::longTilesPerTask(int64_t tile, int64_t vectors) const {
  int64_t count = tiles(tile);
  int64_t pixels = ceilDiv(count, ceilDiv(count, std::max<int64_t>(mostPixels(vectors), 1)));
  int64_t panels = ceilDiv(p.outputChannels, block * vectors);
  return std::max<int64_t>(ceilDiv(count, pixels) * panels / kLongTasks, 1) * pixels;
}

WinogradAttr WinogradModel::configure(const Choice &choice, MLIRContext *context) const {
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

/// Few channels to a chunk, and a number of tasks that workers can share.
int64_t WinogradModel::panelsPerTask(const Choice &choice, int64_t panels,
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
  double latency = m.hasLongVectors() ? 0 : kFmaLatency; // a long vector is its own pipeline
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
    return multiply; // in vector instructions, as every model of long vectors counts
  }
  double fetch = weightBytes / kWeightBytesPerCycle;
  // They overlap; of equals, the one with less to do.
  return std::max(multiply, fetch) + kTieShare * std::min(multiply, fetch);
}

double WinogradModel::transformCycles(const WinogradPlan &plan, WinogradAttr config) const {
  auto vectors = static_cast<double>(plan.frequencies * plan.tiles);
  return vectors * (kInputCycles * static_cast<double>(plan.inputBlocks) +
                    kOutputCycles * static_cast<double>(plan.outputBlocks));
}

} // namespace convoy::kernels
