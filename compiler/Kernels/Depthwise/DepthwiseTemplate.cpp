// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The depthwise template and its cost model. A strip takes the maximum of its multiplication time,
// its load time and the dependency chain of one accumulator. The configuration holds all, one row
// or none of the weights in registers. The search space also varies the rows per task.

#include "Kernels/Convolution/ConvTemplate.h"
#include "Kernels/Core/CeilDiv.h"
#include "Kernels/Core/Tiles.h"
#include "Kernels/Depthwise/Depthwise.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

// The constants are approximate values for out-of-order cores.
constexpr int64_t kFmaLatency = 4;
constexpr double kLoadsPerCycle = 2;
/// Number of strips that out-of-order execution overlaps. The dependency chains of one strip
/// overlap with the multiplications of the next.
constexpr double kOverlappedStrips = 2;
/// Cycles to initialize and store an accumulator, and overhead cycles per strip.
constexpr double kAccumulatorCycles = 1.5;
constexpr double kStripCycles = 4;
/// Registers for the loaded column and the epilogue operands: a bias and one or two bounds.
constexpr int64_t kOtherRegisters = 4;
/// Cycles to load a vector from the second-level cache and to write one back.
constexpr double kMemoryCycles = 3;
/// Limits on the kinds of strips per row and on the unrolled multiplications. Configurations above
/// these limits are used only if there is no other configuration.
constexpr size_t kMostRuns = 5;
constexpr int64_t kMostUnrolled = 800;

/// The cost of leaving a rule; see ConvDirectSpace.cpp.
constexpr double kStray = 0.01;
/// A factor that ranks strips with too much code after all other strips.
constexpr double kMuchCode = 1000;

/// Positions of the numbers of a point, in the order of the knobs.
enum { kHeld, kPixels, kRows };

std::array<int64_t, 3> heldRows(const ConvProblem &problem) { return {problem.kernelRows, 1, 0}; }

class DepthwiseModel {
public:
  DepthwiseModel(const ConvProblem &problem, const Machine &machine)
      : p(problem), m(machine), block(machine.lanes()) {}

  struct Estimate {
    double cycles;
    /// Whether the code of all kinds of strips is short enough for one kernel. Longer code is used
    /// only if there is no other configuration.
    bool isShort;
  };

  /// Returns the maximum number of pixels per strip that fit in registers, if the weights of `held`
  /// rows of taps stay in registers.
  int64_t mostPixels(int64_t held) const {
    int64_t weights = held == 0 ? 1 : held * p.kernelColumns;
    if (isOfArm(m.dot)) { // Weights are words, and registers are those of Machine::inFours().
      return std::min(m.tileRegisters() - ceilDiv(weights, 2) - 1, p.outputColumns);
    }
    return std::min(m.tileRegisters() - weights - kOtherRegisters, p.outputColumns);
  }

  /// Returns the default number of rows per task.
  int64_t ruleRows() const { return ceilDiv(p.outputRows, ceilDiv(8, ceilDiv(p.groups, block))); }

  Estimate estimate(int64_t held, int64_t pixels) const {
    WindowAxis window{p.inputColumns, p.kernelColumns, p.strideColumns, p.dilationColumns,
                      p.padLeft};
    std::vector<TileRun> runs = cutRow(p.outputColumns, pixels, window);
    double cycles = 0;
    int64_t unrolled = 0;
    for (const TileRun &run : runs) {
      cycles += static_cast<double>(run.count) * stripCycles(held, run.pixels);
      unrolled += run.pixels * p.kernelColumns * std::max<int64_t>(held, 1);
    }
    int64_t blocks = ceilDiv(p.groups, block);
    cycles *= static_cast<double>(p.batch * blocks * p.outputRows);
    cycles += kMemoryCycles * static_cast<double>(p.batch * blocks * p.inputRows * p.inputColumns);
    return {cycles, runs.size() <= kMostRuns && unrolled <= kMostUnrolled};
  }

  DepthwiseAttr configure(int64_t held, int64_t pixels, int64_t rows, MLIRContext *context) const {
    return DepthwiseAttr::get(context, block, pixels, held, rows);
  }

private:
  double stripCycles(int64_t held, int64_t pixels) const {
    auto taps = static_cast<double>(p.taps());
    double products = static_cast<double>(pixels) * taps;
    // Columns that the strip loads: each once, or once per tap.
    int64_t window = (pixels - 1) * p.strideColumns + (p.kernelColumns - 1) * p.dilationColumns + 1;
    double loads =
        held == 0 ? products
                  : static_cast<double>(p.kernelRows * std::min(window, pixels * p.kernelColumns));
    // Weights kept in registers for a whole row are loaded once for several strips.
    loads += held == p.kernelRows ? 0 : taps;
    double chain = taps * kFmaLatency / kOverlappedStrips;
    double cycles = std::max(
        {products / static_cast<double>(m.multiplyAddsPerCycle()), loads / kLoadsPerCycle, chain});
    return cycles + kStripCycles + kAccumulatorCycles * static_cast<double>(pixels);
  }

  ConvProblem p;
  Machine m;
  int64_t block;
};

} // namespace

/// Returns whether the template supports the problem: one input and one output channel per group.
static bool canRunDepthwise(const ConvProblem &problem) {
  return problem.isDepthwise() && problem.outputChannels == 1;
}

std::optional<ConfigChoice> chooseDepthwise(const ConvProblem &problem, const Machine &machine,
                                            MLIRContext *context) {
  if (!canRunDepthwise(problem)) {
    return std::nullopt;
  }
  DepthwiseModel model(problem, machine);
  std::optional<ConfigChoice> best;
  bool isBestShort = false;
  for (int64_t held : heldRows(problem)) {
    for (int64_t pixels = 1; pixels <= model.mostPixels(held); ++pixels) {
      auto [cycles, isShort] = model.estimate(held, pixels);
      if (!best || std::pair(!isShort, cycles) < std::pair(!isBestShort, best->cycles)) {
        best = {model.configure(held, pixels, model.ruleRows(), context), {}, cycles};
        isBestShort = isShort;
      }
    }
  }
  return best;
}

Space depthwiseSpace(const ConvProblem &problem, const Machine &machine, MLIRContext *context) {
  DepthwiseModel model(problem, machine);
  Space space;
  Knob held{"held", KnobKind::Unordered, {"held"}, {}};
  Knob pixels{"pixels", KnobKind::Ordered, {"pixels"}, {}};
  for (int64_t rows : heldRows(problem)) {
    addValue(held, {rows});
    for (int64_t count = 1; count <= model.mostPixels(rows); ++count) {
      addValue(pixels, {count});
    }
  }
  Knob rows{"rows", KnobKind::Ordered, {"rows"}, {{model.ruleRows()}}};
  for (int64_t count : {int64_t{1}, model.ruleRows() / 2, problem.outputRows}) {
    if (count > 0) {
      addValue(rows, {count});
    }
  }
  space.knobs = {held, pixels, rows};
  space.constraints = {
      {"the rows of weights kept in registers must be all, one or none",
       [=](const Settings &s) { return llvm::is_contained(heldRows(problem), s[kHeld]); }},
      {"accumulators and weights need more vector registers than the target has",
       [=](const Settings &s) {
         return s[kPixels] > 0 && s[kPixels] <= model.mostPixels(s[kHeld]);
       }},
      {"the result has fewer rows",
       [=](const Settings &s) { return s[kRows] > 0 && s[kRows] <= problem.outputRows; }},
  };
  space.configure = [=](const Settings &s) {
    return model.configure(s[kHeld], s[kPixels], s[kRows], context);
  };
  space.cycles = [=](const Settings &s) {
    auto [cycles, isShort] = model.estimate(s[kHeld], s[kPixels]);
    return cycles * (isShort ? 1 : kMuchCode) * strayFactor(s[kRows], model.ruleRows(), kStray);
  };
  return space;
}

namespace {

class DepthwiseTemplate : public ConvTemplate {
public:
  StringRef id() const override { return DepthwiseAttr::getMnemonic(); }
  int version() const override { return 1; }
  bool usesBlocks() const override { return true; }

protected:
  Operands operands() const override { return Operands::Both; }

  std::string whyNotConv(const KernelFacts &facts, const Machine &machine) const override {
    if (machine.lanes() < 2) {
      return "the vectors of the target have one lane";
    }
    const std::optional<IntegerOperands> &own = facts.conv->integers;
    Type sums = cast<TensorType>(facts.conv->op->getResult(0).getType()).getElementType();
    bool fits = !own || !own->isInputWide ||
                (own->isInputSigned && own->inputZeroPoint == 0 && sums.isInteger(32));
    if (!fits) {
      return "the input has 16 bits; the template then expects int16 with zero point 0 and 32-bit "
             "sums";
    }
    return canRunDepthwise(facts.conv->problem) ? "" : kOther;
  }

  std::vector<ConfigChoice> chooseConv(const KernelFacts &facts,
                                       const Machine &machine) const override {
    auto choice = chooseDepthwise(facts.conv->problem, machineFor(facts, machine), facts.context());
    return choicesOf(choice, nativeBlocks(facts, machine));
  }

  std::vector<LayoutSpace> convSpaces(const KernelFacts &facts,
                                      const Machine &machine) const override {
    return {named(depthwiseSpace(facts.conv->problem, machineFor(facts, machine), facts.context()),
                  nativeBlocks(facts, machine))};
  }

  std::string whyNotConfig(const ConvKernel &kernel, Block & /*body*/,
                           Attribute /*config*/) const override {
    return canRunDepthwise(kernel.problem) ? "" : kOther;
  }

  std::string fitConv(const KernelFacts &facts, Attribute config, Attribute input,
                      Candidate &candidate) const override {
    auto own = cast<DepthwiseAttr>(config);
    Attribute weights =
        ConvWeightsAttr::get(facts.context(), own.getBlock(), /*i=*/1, /*transposed=*/false);
    return inBlocks(facts, own.getBlock(), input, weights, candidate);
  }

  LogicalResult lowerConv(task::KernelOp function, const ConvKernel &kernel, Attribute config,
                          const Machine &machine) const override {
    return lowerDepthwise(function, kernel, cast<DepthwiseAttr>(config), machine.vectorBytes,
                          machine.dot);
  }

private:
  /// Floats do not use dot products.
  static Machine machineFor(const KernelFacts &facts, Machine machine) {
    machine.dot = facts.conv->integers ? machine.dot : DotForm::None;
    return machine;
  }

  static constexpr const char *kOther =
      "the kernel is not a depthwise convolution with one output channel per group";
};

} // namespace

const KernelTemplate &depthwiseTemplate() { return onlyObject<DepthwiseTemplate>(); }

} // namespace convoy::kernels
