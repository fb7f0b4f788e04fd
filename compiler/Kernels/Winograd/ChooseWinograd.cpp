// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The analytical model: three stages, each with the cycles that its busiest part
// needs. Few tiles make the products wait for weights from memory; that is what
// decides between tiles of 4, tiles of 2 and direct convolution.

#include "Kernels/Winograd/Nodes.h"
#include "Kernels/Winograd/Winograd.h"
#include "Kernels/Winograd/WinogradPlan.h"

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

int64_t ceilDiv(int64_t x, int64_t d) { return (x + d - 1) / d; }

class Chooser {
public:
  Chooser(const ConvProblem &problem, const Machine &machine, MLIRContext *context)
      : p(problem), m(machine), context(context), block(machine.lanes()) {}

  std::optional<WinogradChoice> choose() {
    for (int64_t tile : {2, 4}) {
      for (int64_t vectors : {1, 2, 3, 4, 5, 6, 7}) {
        int64_t pixels = (m.tileRegisters() - vectors - 1) / vectors;
        // A panel of fewer vectors would multiply by padding.
        if (ceilDiv(p.outputChannels, block) % vectors == 0 && pixels > 0) {
          consider(configure(tile, vectors, pixels));
        }
      }
    }
    return best;
  }

private:
  WinogradAttr configure(int64_t tile, int64_t vectors, int64_t pixels) const {
    int64_t tiles = p.batch * ceilDiv(p.outputRows, tile) * ceilDiv(p.outputColumns, tile);
    pixels = ceilDiv(tiles, ceilDiv(tiles, pixels));
    int64_t groups = ceilDiv(tiles, pixels);
    int64_t perTask = groupsPerTask(tiles, pixels);
    perTask = ceilDiv(groups, ceilDiv(groups, perTask));
    int64_t panels = ceilDiv(p.outputChannels, block * vectors);
    int64_t passes = ceilDiv(p.inputChannels, kPassChannels);
    int64_t depth = ceilDiv(ceilDiv(p.inputChannels, passes), block) * block;
    return WinogradAttr::get(context, block, tile, vectors, pixels, perTask,
                             panelsPerTask(vectors, panels, ceilDiv(groups, perTask)), depth,
                             block);
  }

  /// Enough tiles to use weights often; all of them when they are few. Beyond that
  /// their input would only leave the second-level cache.
  static int64_t groupsPerTask(int64_t tiles, int64_t pixels) {
    constexpr int64_t kFewTiles = 56;
    constexpr int64_t kEnoughTiles = 28;
    return tiles <= kFewTiles ? ceilDiv(tiles, pixels)
                              : std::max<int64_t>(kEnoughTiles / pixels, 1);
  }

  /// At most 128 channels to a chunk, and a number of tasks that workers can share.
  int64_t panelsPerTask(int64_t vectors, int64_t panels, int64_t tileBlocks) const {
    constexpr int64_t kChunkChannels = 128;
    constexpr int64_t kFewTasks = 8;
    constexpr int64_t kManyTasks = 32;
    int64_t most = std::max<int64_t>(kChunkChannels / (vectors * block), 1);
    for (int64_t perTask = std::min(most, panels); perTask > 1; --perTask) {
      int64_t tasks = tileBlocks * (panels / perTask);
      bool isShared = tasks >= kManyTasks || (tasks >= kFewTasks && tasks % 2 == 0);
      if (panels % perTask == 0 && isShared) {
        return perTask;
      }
    }
    return 1;
  }

  void consider(WinogradAttr config) {
    WinogradPlan plan(p, config);
    double cycles = productCycles(plan, config) + transformCycles(plan, config);
    if (!best || cycles < best->cycles) {
      best = WinogradChoice{config, cycles};
    }
  }

  double productCycles(const WinogradPlan &plan, WinogradAttr config) const {
    double vectors = static_cast<double>(config.getVectors());
    auto step = [&](int64_t tiles) {
      double pixels = static_cast<double>(tiles);
      return std::max({vectors * pixels / static_cast<double>(m.multiplyAddsPerCycle()),
                       (vectors + pixels) / kLoadsPerCycle, static_cast<double>(kFmaLatency)});
    };
    double steps = static_cast<double>(plan.longer) * step(plan.groupTiles) +
                   static_cast<double>(plan.groups - plan.longer) * step(plan.groupTiles - 1);
    auto rows = static_cast<double>(plan.frequencies * plan.panels * p.inputChannels);
    double weightBytes = rows * vectors * static_cast<double>(block * 4);
    double multiply = rows * steps / kProductShare;
    double fetch = weightBytes / kWeightBytesPerCycle;
    // They overlap; of equals, the one with less to do.
    return std::max(multiply, fetch) + kTieShare * std::min(multiply, fetch);
  }

  double transformCycles(const WinogradPlan &plan, WinogradAttr config) const {
    auto vectors = static_cast<double>(plan.frequencies * plan.tiles);
    return vectors * (kInputCycles * static_cast<double>(plan.inputBlocks) +
                      kOutputCycles * static_cast<double>(plan.outputBlocks));
  }

  const ConvProblem &p;
  const Machine &m;
  MLIRContext *context;
  int64_t block;
  std::optional<WinogradChoice> best;
};

} // namespace

bool canRunWinograd(const ConvProblem &p, int64_t tile) {
  return !p.isMatrix && p.groups == 1 && p.kernelRows == 3 && p.kernelColumns == 3 &&
         p.strideRows == 1 && p.strideColumns == 1 && p.dilationRows == 1 &&
         p.dilationColumns == 1 && !winogradPairs(tile).empty();
}

std::optional<WinogradChoice> chooseWinograd(const ConvProblem &problem, const Machine &machine,
                                             MLIRContext *context) {
  // Few channels are mostly padding, and their convolution mostly transforms.
  if (!canRunWinograd(problem, 2) || problem.inputChannels < machine.lanes() / 2) {
    return std::nullopt;
  }
  return Chooser(problem, machine, context).choose();
}

Attribute winogradWeights(WinogradAttr config) {
  return WinogradWeightsAttr::get(config.getContext(), config.getTile(),
                                  config.getVectors() * config.getBlock(), config.getPanels());
}

} // namespace convoy::kernels
