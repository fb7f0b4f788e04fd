// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The analytical model: counts vector instructions, which is what a long-vector
// machine spends its time on.

#include "Kernels/ConvPixels/BandPlan.h"
#include "Kernels/ConvPixels/ConvPixels.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

/// More accumulators are more code than they save loads.
constexpr int64_t kMostChannels = 24;
/// Products of an innermost step: their loop is then little beside them.
constexpr int64_t kStepProducts = 8;
/// Cycles to copy one vector, and to finish and store one of the result.
constexpr double kCopyCycles = 3;
constexpr double kFinishCycles = 6;
/// What a band may cost more than the best one for being shorter: bands are tasks.
constexpr double kWorthOfTasks = 1.08;

int64_t ceilDiv(int64_t x, int64_t d) { return (x + d - 1) / d; }

class Chooser {
public:
  Chooser(const ConvProblem &problem, const Machine &machine)
      : p(problem), m(machine), channels(std::min({m.tileRegisters() - 1 - (m.spreadRegisters()),
                                                   p.outputChannels, kMostChannels})) {}

  ConvPixelsChoice flat(MLIRContext *context) const {
    int64_t pixels = p.outputRows * p.outputColumns;
    int64_t lanes = widthFor(pixels, m.lanes());
    double tiles = static_cast<double>(ceilDiv(pixels, lanes));
    double finish = kFinishCycles * static_cast<double>(p.outputChannels) * tiles;
    return {configure(lanes, /*rows=*/0, context), sumCycles(tiles) + finish};
  }

  ConvPixelsChoice banded(MLIRContext *context) const {
    // Least first, then the shortest band that costs little more.
    double least = bandedCycles(p.outputRows);
    for (int64_t rows = 1; rows < p.outputRows; ++rows) {
      least = std::min(least, bandedCycles(rows));
    }
    int64_t rows = 1;
    while (bandedCycles(rows) > kWorthOfTasks * least) {
      ++rows;
    }
    return {configure(bandLanes(rows), rows, context), bandedCycles(rows)};
  }

  bool canRun() const { return channels > 0; }

private:
  int64_t bandLanes(int64_t rows) const {
    int64_t filled = BandPlan(p, rows, 1, channels).pitch * rows;
    auto power = static_cast<int64_t>(llvm::PowerOf2Ceil(static_cast<uint64_t>(filled)));
    return std::clamp<int64_t>(power, 2, m.lanes());
  }

  double bandedCycles(int64_t rows) const {
    BandPlan plan(p, rows, bandLanes(rows), channels);
    auto vectorsOf = [&](int64_t columns) {
      return static_cast<double>(ceilDiv(columns, widthFor(columns, plan.lanes)));
    };
    double copied = static_cast<double>(p.inputChannels * plan.bands * plan.paddedRows) *
                    vectorsOf(plan.paddedColumns) * static_cast<double>(p.strideColumns);
    double finished =
        static_cast<double>(p.outputChannels * p.outputRows) * vectorsOf(p.outputColumns);
    return sumCycles(static_cast<double>(plan.bands * plan.tiles)) + kCopyCycles * copied +
           kFinishCycles * finished;
  }

  /// Of all products with that many vectors of pixels.
  double sumCycles(double tiles) const {
    double step = std::max(static_cast<double>(channels) / m.multiplyAddsPerCycle(),
                           static_cast<double>(channels + 1) / 2);
    double groups = static_cast<double>(ceilDiv(p.outputChannels, channels));
    return tiles * groups * static_cast<double>(p.inputChannels * p.taps()) * step;
  }

  ConvPixelsAttr configure(int64_t lanes, int64_t rows, MLIRContext *context) const {
    int64_t unroll = std::min(ceilDiv(kStepProducts, p.taps()), p.inputChannels);
    return ConvPixelsAttr::get(context, lanes, channels, rows, unroll);
  }

  const ConvProblem &p;
  const Machine &m;
  int64_t channels; // of a tile: all registers but the one that pixels are loaded to
};

} // namespace

std::optional<ConvPixelsChoice> chooseConvPixels(const ConvProblem &problem, bool isFlat,
                                                 const Machine &machine, MLIRContext *context) {
  bool isPlain = problem.groups == 1 && !problem.isMatrix && problem.padTop >= 0 &&
                 problem.padLeft >= 0 && problem.outputRows * problem.outputColumns > 1;
  Chooser chooser(problem, machine);
  if (!machine.hasLongVectors() || !isPlain || !chooser.canRun()) {
    return std::nullopt;
  }
  ConvPixelsChoice choice =
      isFlat && problem.isPointwise() ? chooser.flat(context) : chooser.banded(context);
  choice.cycles *= static_cast<double>(problem.batch);
  return choice;
}

Attribute convPixelsWeights(ConvPixelsAttr config) {
  return ConvWeightsAttr::get(config.getContext(), config.getChannels(), /*i=*/1,
                              /*transposed=*/false);
}

} // namespace convoy::kernels
