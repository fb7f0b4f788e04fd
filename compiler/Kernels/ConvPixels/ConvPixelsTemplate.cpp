// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The conv_pixels template, its cost model and its search space. The model counts vector
// instructions, which dominate the time on machines with long vectors. The space contains the
// parameters of the rules and other tiles, bands and unroll factors.

#include "Kernels/ConvPixels/ConvPixels.h"
#include "Kernels/Convolution/ConvTemplate.h"
#include "Kernels/Core/BandPlan.h"
#include "Kernels/Core/CeilDiv.h"
#include "Kernels/Core/LaneMemory.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

/// More accumulators would add more code than they save loads.
constexpr int64_t kMostChannels = 24;
/// Products of an innermost step, enough to make the loop overhead small.
constexpr int64_t kStepProducts = 8;
/// Cycles to copy one vector, and to apply the epilogue to one result vector and store it.
constexpr double kCopyCycles = 3;
constexpr double kFinishCycles = 6;
/// Bands are tasks, so a shorter band may cost up to this factor more than the best band.
constexpr double kWorthOfTasks = 1.08;

/// The cost of leaving a rule; see ConvDirectSpace.cpp.
constexpr double kStray = 0.01;

/// Positions of the numbers of a point, in the order of the knobs.
enum { kChannels, kRows, kUnroll };

class Chooser {
public:
  Chooser(const ConvProblem &problem, const Machine &machine)
      : Chooser(problem, machine, mostChannels(problem, machine)) {}
  Chooser(const ConvProblem &problem, const Machine &machine, int64_t channels)
      : p(problem), m(machine), channels(channels) {}

  /// Returns the maximum number of output channels per tile: all registers except the one for
  /// loaded pixels.
  static int64_t mostChannels(const ConvProblem &p, const Machine &m) {
    return std::min(
        {m.tileRegisters() - 1 - (m.spreadRegisters()), p.outputChannels, kMostChannels});
  }

  ConfigChoice flat(MLIRContext *context) const {
    int64_t pixels = p.outputRows * p.outputColumns;
    int64_t lanes = widthFor(pixels, m.lanes());
    double tiles = static_cast<double>(ceilDiv(pixels, lanes));
    double finish = kFinishCycles * static_cast<double>(p.outputChannels) * tiles;
    return {configure(lanes, /*rows=*/0, ruleUnroll(), context), {}, sumCycles(tiles) + finish};
  }

  ConfigChoice banded(MLIRContext *context) const {
    int64_t rows = ruleRows();
    return {configure(bandLanes(rows), rows, ruleUnroll(), context), {}, bandedCycles(rows)};
  }

  int64_t ruleRows() const {
    // Find the lowest cost, then the shortest band that costs little more.
    double least = bandedCycles(p.outputRows);
    for (int64_t rows = 1; rows < p.outputRows; ++rows) {
      least = std::min(least, bandedCycles(rows));
    }
    int64_t rows = 1;
    while (bandedCycles(rows) > kWorthOfTasks * least) {
      ++rows;
    }
    return rows;
  }
  int64_t ruleUnroll() const { return std::min(ceilDiv(kStepProducts, p.taps()), p.inputChannels); }

  ConvPixelsAttr configureBand(int64_t rows, int64_t unroll, MLIRContext *context) const {
    int64_t lanes =
        rows == 0 ? widthFor(p.outputRows * p.outputColumns, m.lanes()) : bandLanes(rows);
    return configure(lanes, rows, unroll, context);
  }
  double cycles(int64_t rows, MLIRContext *context) const {
    return rows == 0 ? flat(context).cycles : bandedCycles(rows);
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

  /// Returns the cycles of all products for this number of vectors of pixels.
  double sumCycles(double tiles) const {
    double step = std::max(static_cast<double>(channels) / m.multiplyAddsPerCycle(),
                           static_cast<double>(channels + 1) / 2);
    double groups = static_cast<double>(ceilDiv(p.outputChannels, channels));
    return tiles * groups * static_cast<double>(p.inputChannels * p.taps()) * step;
  }

  ConvPixelsAttr configure(int64_t lanes, int64_t rows, int64_t unroll,
                           MLIRContext *context) const {
    return ConvPixelsAttr::get(context, lanes, channels, rows, unroll);
  }

  const ConvProblem &p;
  const Machine &m;
  int64_t channels; // output channels per tile
};

} // namespace

static bool isPlain(const ConvProblem &p) {
  return p.groups == 1 && !p.isMatrix && p.padTop >= 0 && p.padLeft >= 0 &&
         p.outputRows * p.outputColumns > 1;
}

/// Returns whether the template supports the problem and the target has long vectors. Channels fill
/// short vectors, so short vectors do not need this template.
static bool canRunConvPixels(const ConvProblem &problem, const Machine &machine) {
  return machine.hasLongVectors() && isPlain(problem) && Chooser(problem, machine).canRun();
}

std::optional<ConfigChoice> chooseConvPixels(const ConvProblem &problem, bool isFlat,
                                             const Machine &machine, MLIRContext *context) {
  if (!canRunConvPixels(problem, machine)) {
    return std::nullopt;
  }
  Chooser chooser(problem, machine);
  ConfigChoice choice =
      isFlat && problem.isPointwise() ? chooser.flat(context) : chooser.banded(context);
  choice.cycles *= static_cast<double>(problem.batch);
  return choice;
}

Space convPixelsSpace(const ConvProblem &problem, bool isFlat, const Machine &machine,
                      MLIRContext *context) {
  int64_t most = Chooser::mostChannels(problem, machine);
  Chooser ruled(problem, machine);
  bool isInPlace = isFlat && problem.isPointwise();
  int64_t ruleRows = isInPlace ? 0 : ruled.ruleRows();
  Space space;
  space.knobs = {{"channels", KnobKind::Ordered, {"channels"}, {{most}}},
                 {"rows", KnobKind::Ordered, {"rows"}, {{ruleRows}}},
                 {"unroll", KnobKind::Ordered, {"unroll"}, {{ruled.ruleUnroll()}}}};
  for (int64_t part : {2, 4}) {
    addValue(space.knobs[0], {std::max<int64_t>(most / part, 1)});
  }
  for (int64_t rows = 1; !isInPlace && rows < 2 * problem.outputRows; rows *= 2) {
    addValue(space.knobs[1], {std::min(rows, problem.outputRows)});
  }
  for (int64_t unroll : {1, 2, 4}) {
    addValue(space.knobs[2], {std::min<int64_t>(unroll, problem.inputChannels)});
  }
  space.constraints = {
      {"accumulators need more vector registers than the target has",
       [=](const Settings &s) { return s[kChannels] > 0 && s[kChannels] <= most; }},
      {"rows must be 0 for a pointwise convolution and otherwise at least 1 and at most the output "
       "rows",
       [=](const Settings &s) {
         return s[kRows] <= problem.outputRows && (isInPlace ? s[kRows] == 0 : s[kRows] > 0);
       }},
      {"the layer has fewer input channels",
       [=](const Settings &s) { return s[kUnroll] > 0 && s[kUnroll] <= problem.inputChannels; }},
  };
  space.configure = [=](const Settings &s) {
    return Chooser(problem, machine, s[kChannels]).configureBand(s[kRows], s[kUnroll], context);
  };
  space.cycles = [=](const Settings &s) {
    double cycles = Chooser(problem, machine, s[kChannels]).cycles(s[kRows], context);
    double least = Chooser(problem, machine).cycles(ruleRows, context);
    bool isRule = s[kChannels] == most && s[kRows] == ruleRows;
    cycles = isRule ? cycles : std::max(cycles, least) * (1 + kStray);
    return cycles * strayFactor(s[kUnroll], Chooser(problem, machine).ruleUnroll(), kStray) *
           static_cast<double>(problem.batch);
  };
  return space;
}

namespace {

class ConvPixelsTemplate : public ConvTemplate {
public:
  StringRef id() const override { return ConvPixelsAttr::getMnemonic(); }
  int version() const override { return 2; }
  bool usesBlocks() const override { return false; }

protected:
  std::string whyNotConv(const KernelFacts &facts, const Machine &machine) const override {
    if (!machine.hasLongVectors()) {
      return kShortVectors;
    }
    return canRunConvPixels(facts.conv->problem, machine) ? "" : kOther;
  }

  std::vector<ConfigChoice> chooseConv(const KernelFacts &facts,
                                       const Machine &machine) const override {
    auto choice = chooseConvPixels(facts.conv->problem, isFlat(facts), machine, facts.context());
    return choicesOf(choice, Attribute());
  }

  std::vector<LayoutSpace> convSpaces(const KernelFacts &facts,
                                      const Machine &machine) const override {
    return {named(convPixelsSpace(facts.conv->problem, isFlat(facts), machine, facts.context()),
                  Attribute())};
  }

  std::string whyNotConfig(const ConvKernel &kernel, Block &body, Attribute config) const override {
    auto own = cast<ConvPixelsAttr>(config);
    int64_t pixels = kernel.problem.outputRows * kernel.problem.outputColumns;
    if (!isPlain(kernel.problem)) {
      return kOther;
    }
    bool isInPlace = own.getRows() == 0;
    if (isInPlace ? !isEpilogueFlat(kernel, body) || !kernel.problem.isPointwise() ||
                        own.getLanes() > pixels
                  : own.getRows() > kernel.problem.outputRows) {
      return "the layer cannot be split into bands of rows = " + std::to_string(own.getRows()) +
             " with lanes = " + std::to_string(own.getLanes()) + " per vector";
    }
    return "";
  }

  std::string fitConv(const KernelFacts &facts, Attribute config, Attribute input,
                      Candidate &candidate) const override {
    auto own = cast<ConvPixelsAttr>(config);
    Attribute weights =
        ConvWeightsAttr::get(facts.context(), own.getChannels(), /*i=*/1, /*transposed=*/false);
    return planar(facts, input, weights, candidate);
  }

  LogicalResult lowerConv(task::KernelOp function, const ConvKernel &kernel, Attribute config,
                          const Machine &machine) const override {
    return lowerConvPixels(function, kernel, cast<ConvPixelsAttr>(config), machine.vectorBytes);
  }

private:
  static constexpr const char *kOther =
      "the kernel has groups, is a product of matrices or has a single pixel";
};

} // namespace

const KernelTemplate &convPixelsTemplate() { return onlyObject<ConvPixelsTemplate>(); }

} // namespace convoy::kernels
