// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The analytical model: counts vector instructions, in units of one product, which
// takes about three instructions with its share of loads and addresses.

#include "Kernels/Winograd/Winograd.h"
#include "Kernels/WinogradPixels/TilePlan.h"
#include "Kernels/WinogradPixels/WinogradPixels.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

/// More accumulators are more code than they save loads.
constexpr int64_t kMostChannels = 24;
/// Channels of an innermost step: their loop is then little beside the products.
constexpr int64_t kStepChannels = 8;
/// To copy one row of the input and deal it out: measured, as all of these.
constexpr double kRowCycles = 8;
/// To transform one vector on its way to the products, and from them.
constexpr double kInputCycles = 6;
constexpr double kOutputCycles = 5;
/// To put a row of results in order and finish it.
constexpr double kResultRowCycles = 8;
/// Tasks that a kernel should have: fewer bands are cut along output channels.
constexpr int64_t kTasks = 64;

int64_t ceilDiv(int64_t x, int64_t d) { return (x + d - 1) / d; }

class Chooser {
public:
  Chooser(const ConvProblem &problem, const Machine &machine, MLIRContext *context)
      : p(problem), m(machine), context(context),
        channels(std::min(
            {m.tileRegisters() - 1 - m.spreadRegisters(), p.outputChannels, kMostChannels})) {}

  std::optional<WinogradPixelsChoice> choose() {
    for (int64_t tile : {2, 4}) {
      consider(tile);
    }
    return best;
  }

private:
  void consider(int64_t tile) {
    int64_t tileRows = ceilDiv(p.outputRows, tile);
    int64_t pitch = TilePlan(p, configure(tile, 1, 1)).band.pitch;
    int64_t most = std::min(m.lanes() / pitch, tileRows);
    if (most < 1 || channels < 1) {
      return; // a row of tiles is longer than a vector
    }
    int64_t bands = ceilDiv(tileRows, most);
    int64_t groups = ceilDiv(p.outputChannels, channels);
    int64_t chunks = ceilDiv(kTasks, bands * p.batch);
    WinogradPixelsAttr config =
        configure(tile, ceilDiv(tileRows, bands), std::max<int64_t>(groups / chunks, 1));
    double cycles = cyclesOf(TilePlan(p, config));
    if (!best || cycles < best->cycles) {
      best = WinogradPixelsChoice{config, cycles};
    }
  }

  double cyclesOf(const TilePlan &plan) const {
    auto number = [](int64_t n) { return static_cast<double>(n); };
    double products = number(plan.groups * channels * p.inputChannels);
    double copied = kRowCycles * number(plan.band.paddedRows * p.inputChannels);
    double transformed =
        kInputCycles * number(p.inputChannels) + kOutputCycles * number(p.outputChannels);
    double ordered = kResultRowCycles * number(plan.band.rows * plan.tile * p.outputChannels);
    return number(p.batch * plan.band.bands) *
           (number(plan.frequencies) * (products + transformed) + copied + ordered);
  }

  WinogradPixelsAttr configure(int64_t tile, int64_t rows, int64_t groups) const {
    return WinogradPixelsAttr::get(context, m.lanes(), tile, std::max<int64_t>(channels, 1), rows,
                                   groups, std::min(kStepChannels, p.inputChannels));
  }

  const ConvProblem &p;
  const Machine &m;
  MLIRContext *context;
  int64_t channels; // of a group: all registers but the one that tiles are loaded to
  std::optional<WinogradPixelsChoice> best;
};

} // namespace

static bool isPlain(const ConvProblem &p, int64_t tile) {
  return canRunWinograd(p, tile) && p.padTop >= 0 && p.padLeft >= 0;
}

std::string whyNotWinogradPixels(const ConvProblem &problem, WinogradPixelsAttr config) {
  if (!isPlain(problem, config.getTile())) {
    return "it is no 3 x 3 convolution at stride 1, or there is no such tile";
  }
  TilePlan plan(problem, config);
  if (config.getRows() > plan.tileRows || config.getRows() * plan.band.pitch > config.getLanes()) {
    return "rows = " + std::to_string(config.getRows()) + " of " + std::to_string(plan.band.pitch) +
           " tiles are no vector of lanes = " + std::to_string(config.getLanes());
  }
  return "";
}

std::optional<WinogradPixelsChoice>
chooseWinogradPixels(const ConvProblem &problem, const Machine &machine, MLIRContext *context) {
  if (!machine.hasLongVectors() || !isPlain(problem, 2)) {
    return std::nullopt;
  }
  return Chooser(problem, machine, context).choose();
}

Attribute winogradPixelsWeights(WinogradPixelsAttr config) {
  return WinogradWeightsAttr::get(config.getContext(), config.getTile(), config.getChannels(),
                                  /*panels=*/1);
}

} // namespace convoy::kernels
