// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The winograd_pixels template and its cost model: Winograd convolution with lanes along tiles, for
// layers with too few channels to fill the vectors of the target. The model counts vector
// instructions in units of one product, which takes about three instructions including loads and
// addresses.

#include "Kernels/Convolution/ConvTemplate.h"
#include "Kernels/Core/CeilDiv.h"
#include "Kernels/Core/PartRounds.h"
#include "Kernels/Winograd/Winograd.h"
#include "Kernels/WinogradPixels/TilePlan.h"
#include "Kernels/WinogradPixels/WinogradPixels.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

/// More accumulators would add more code than they save loads.
constexpr int64_t kMostChannels = 24;
/// Channels per innermost step, enough to make the loop overhead small.
constexpr int64_t kStepChannels = 8;
/// Measured cost of copying one input row and distributing it to planes.
constexpr double kRowCycles = 8;
/// Measured cost of transforming one vector before and after the products.
constexpr double kInputCycles = 6;
constexpr double kOutputCycles = 5;
/// Measured cost of interleaving a row of results, applying the epilogue and storing it.
constexpr double kResultRowCycles = 8;

class Chooser {
public:
  Chooser(const ConvProblem &problem, const Machine &machine, MLIRContext *context)
      : p(problem), m(machine), context(context),
        channels(std::min(
            {m.tileRegisters() - 1 - m.spreadRegisters(), p.outputChannels, kMostChannels})) {}

  /// Returns a choice for each size of tile: those of 2 have fewer weights, for a build with a
  /// limit of weights.
  std::vector<ConfigChoice> choose() const {
    std::vector<ConfigChoice> choices;
    for (int64_t tile : {2, 4}) {
      if (std::optional<ConfigChoice> choice = chooseTile(tile)) {
        choices.push_back(*choice);
      }
    }
    return choices;
  }

private:
  std::optional<ConfigChoice> chooseTile(int64_t tile) const {
    int64_t tileRows = ceilDiv(p.outputRows, tile);
    int64_t pitch = TilePlan(p, configure(tile, 1, 1)).band.pitch;
    int64_t most = std::min(m.lanes() / pitch, tileRows);
    if (most < 1 || channels < 1) {
      return std::nullopt; // a row of tiles does not fit in a vector
    }
    int64_t bands = ceilDiv(tileRows, most);
    WinogradPixelsAttr config =
        configure(tile, ceilDiv(tileRows, bands), bands * p.batch < kPlainTasks ? kRoundParts : 1);
    return ConfigChoice{config, {}, cyclesOf(TilePlan(p, config))};
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

  WinogradPixelsAttr configure(int64_t tile, int64_t rows, int64_t parts) const {
    return WinogradPixelsAttr::get(context, m.lanes(), tile, std::max<int64_t>(channels, 1), rows,
                                   parts, std::min(kStepChannels, p.inputChannels));
  }

  const ConvProblem &p;
  const Machine &m;
  MLIRContext *context;
  int64_t channels; // output channels per group: all registers except the one for loaded tiles
};

bool isPlain(const ConvProblem &p, int64_t tile) {
  return canRunWinograd(p, tile) && p.padTop >= 0 && p.padLeft >= 0;
}

class WinogradPixelsTemplate : public ConvTemplate {
public:
  StringRef id() const override { return WinogradPixelsAttr::getMnemonic(); }
  int version() const override { return 2; }
  bool usesBlocks() const override { return false; }

protected:
  std::string whyNotConv(const KernelFacts &facts, const Machine &machine) const override {
    if (std::string reason = whyNotWinograd(facts.conv->problem, facts.isStrictMath);
        !reason.empty()) {
      return reason;
    }
    if (!machine.hasLongVectors()) {
      return kShortVectors;
    }
    return "";
  }

  std::vector<ConfigChoice> chooseConv(const KernelFacts &facts,
                                       const Machine &machine) const override {
    const ConvProblem &p = facts.conv->problem;
    return isPlain(p, 2) ? Chooser(p, machine, facts.context()).choose()
                         : std::vector<ConfigChoice>();
  }

  std::string whyNotConfig(const ConvKernel &kernel, Block & /*body*/,
                           Attribute config) const override {
    auto own = cast<WinogradPixelsAttr>(config);
    if (!isPlain(kernel.problem, own.getTile())) {
      return "the kernel is not a 3 x 3 convolution at stride 1, or the tile size is not supported";
    }
    TilePlan plan(kernel.problem, own);
    if (own.getRows() > plan.tileRows || own.getRows() * plan.band.pitch > own.getLanes()) {
      return "rows = " + std::to_string(own.getRows()) + " of " + std::to_string(plan.band.pitch) +
             " tiles do not fit in a vector of lanes = " + std::to_string(own.getLanes());
    }
    return "";
  }

  std::string fitConv(const KernelFacts &facts, Attribute config, Attribute input,
                      Candidate &candidate) const override {
    auto own = cast<WinogradPixelsAttr>(config);
    Attribute weights =
        WinogradWeightsAttr::get(facts.context(), own.getTile(), own.getChannels(), /*panels=*/1);
    return planar(facts, input, weights, candidate);
  }

  LogicalResult lowerConv(task::KernelOp function, const ConvKernel &kernel, Attribute config,
                          const Machine &machine) const override {
    return lowerWinogradPixels(function, kernel, cast<WinogradPixelsAttr>(config),
                               machine.vectorBytes);
  }
};

} // namespace

const KernelTemplate &winogradPixelsTemplate() { return onlyObject<WinogradPixelsTemplate>(); }

} // namespace convoy::kernels
