// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost model and the search space of conv_dot. The cost model is that of conv_direct: a step on
// four integer channels costs the same multiplications, loads and registers as a step on one f32
// channel. The space has the tiles and row lengths of conv_direct, and knobs for the order of
// loops, unrolling, prefetches and the size of tasks.

#include "Kernels/ConvDirect/ConvDirectModel.h"
#include "Kernels/ConvDot/ConvDot.h"
#include "Kernels/Core/DotMultiply.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

/// Additional epilogue cycles per accumulator compared to f32: requantization takes about twelve
/// instructions on two ports.
constexpr double kRescaleCycles = 5;
/// Cycles per accumulator to correct a zero point of the weights.
constexpr double kCorrectionCycles = 1.5;
/// Instructions that replace one dot product if the target only has `pairs`.
constexpr double kPairsCost = 4;
/// Registers for the widened operands of `pairs`.
constexpr int64_t kPairsRegisters = 4;
/// Registers of 16 lanes for the inputs that LaneDotMultiply keeps for several steps.
constexpr int64_t kLaneRegisters = 1;
/// The same for MatmulMultiply, whose weights take two registers.
constexpr int64_t kMatmulRegisters = 2;
/// Cost of a 16-bit input: two dot products, one of the lower and one of the upper bytes.
constexpr double kWideCost = 2.5;

/// Positions of the numbers of a point, in the order of the knobs.
enum { kVectors, kPixels, kColumns, kCut, kParts, kUnroll, kRowsFirst, kNoFetch };

/// Returns the problem with groups of four channels as one channel.
ConvProblem inSteps(ConvProblem problem) {
  problem.inputChannels = (problem.inputChannels + 3) / 4;
  return problem;
}

/// Returns the machine for the model of conv_direct: without the registers that dot products need
/// beside accumulators, weights and pixels.
Machine machineFor(const ConvKernel &kernel, const Machine &machine) {
  Machine own = machine;
  int64_t channels = dotInputBlock(kernel.problem, machine.lanes());
  own.vectorRegisters -= machine.dot == DotForm::Pairs                 ? kPairsRegisters
                         : dotDepth(kernel, machine.dot, channels) > 4 ? kMatmulRegisters
                         : isOfArm(machine.dot)                        ? kLaneRegisters
                                                                       : 0;
  if (kernel.integers->isInputWide) {
    own.vectorRegisters = own.vectorRegisters / 2 + 1;
  }
  return own;
}

ConvDirectModel modelOf(const ConvKernel &kernel, bool isFlat, const Machine &machine) {
  const ConvProblem &p = kernel.problem;
  InputLayout input = p.isMatrix ? InputLayout::Matrix : InputLayout::Blocked;
  return {inSteps(p), input, isFlat, machineFor(kernel, machine)};
}

/// Returns the estimate for an estimate of the model of conv_direct.
double cyclesOf(const ConvKernel &kernel, const ConvDirectModel &model, const Machine &machine,
                double direct) {
  const ConvProblem &p = kernel.problem;
  double wide = kernel.integers->isInputWide ? 2 : 1;
  auto results =
      static_cast<double>(p.batch * p.groups * model.blocks() * p.outputRows * p.outputColumns);
  if (kernel.correctsWeights()) {
    direct += direct / static_cast<double>(model.blocks()) + kCorrectionCycles * results;
  }
  return direct * (machine.dot == DotForm::Pairs ? kPairsCost : 1) * (wide > 1 ? kWideCost : 1) +
         wide * kRescaleCycles * results;
}

ConvDotAttr configOf(const ConvDirectAttr &direct, const Settings &s) {
  return ConvDotAttr::get(direct.getContext(), direct.getBlock(), direct.getVectors(),
                          direct.getPixels(), direct.getColumns(),
                          ceilDiv(direct.getRows(), s[kParts]), direct.getPanels(), s[kUnroll],
                          s[kRowsFirst] != 0, s[kNoFetch] != 0);
}

/// Returns the model's estimate of a point plus the cost of leaving its rules.
double spaceCycles(const ConvDirectModel &model, const Settings &s) {
  double cycles = tileCycles(model, s[kVectors], s[kPixels], s[kColumns]);
  bool isCut = model.rule(s[kVectors], s[kPixels], s[kColumns]).alongPanels;
  cycles *= (s[kCut] != 0) == isCut ? 1 : 1 + kStray;
  cycles *= strayFactor(s[kParts], 1, kStray);
  cycles *= s[kUnroll] == 0 ? 1 : 1 + kStray;
  cycles *= s[kRowsFirst] == 0 ? 1 : 1 + kStray;
  cycles *= s[kNoFetch] == 0 ? 1 : 1 + kStray;
  return model.totalCycles(cycles, s[kVectors]);
}

} // namespace

int64_t dotInputBlock(const ConvProblem &problem, int64_t block) {
  bool isImage = problem.groups == 1 && problem.inputChannels <= 4 && !problem.isMatrix;
  return isImage ? 4 : block;
}

std::optional<ConfigChoice> chooseConvDot(const ConvKernel &kernel, bool isFlat,
                                          const Machine &machine, MLIRContext *context) {
  ConvDirectModel model = modelOf(kernel, isFlat, machine);
  std::optional<ConfigChoice> best = model.choose(context);
  if (best) {
    auto direct = cast<ConvDirectAttr>(best->config);
    best->config = ConvDotAttr::get(context, direct.getBlock(), direct.getVectors(),
                                    direct.getPixels(), direct.getColumns(), direct.getRows(),
                                    direct.getPanels(), /*unroll=*/0, /*rowsFirst=*/false,
                                    /*noFetch=*/false);
    best->cycles = cyclesOf(kernel, model, machine, best->cycles);
  }
  return best;
}

Space convDotSpace(const ConvKernel &kernel, bool isFlat, const Machine &machine,
                   MLIRContext *context) {
  ConvProblem p = inSteps(kernel.problem);
  ConvDirectModel model = modelOf(kernel, isFlat, machine);
  Knob tiles = tileKnob(model);
  Space space;
  space.knobs = {tiles,
                 columnsKnob(p, model, tiles),
                 {"cut", KnobKind::Unordered, {"alongPanels"}, {{0}, {1}}},
                 {"rows", KnobKind::Ordered, {"parts"}, {{1}, {2}, {4}}},
                 {"unroll", KnobKind::Unordered, {"unroll"}, {{0}, {1}, {2}}},
                 {"order", KnobKind::Unordered, {"rowsFirst"}, {{0}, {1}}},
                 {"fetch", KnobKind::Unordered, {"noFetch"}, {{0}, {1}}}};
  auto configure = [=](const Settings &s) {
    ConvDirectModel::Parameters choice = model.rule(s[kVectors], s[kPixels], s[kColumns]);
    choice.alongPanels = s[kCut] != 0;
    return configOf(model.configure(choice, context), s);
  };
  int64_t steps = dotInputBlock(kernel.problem, machine.lanes()) / 4;
  space.constraints = tileConstraints(p, model, machineFor(kernel, machine), kColumns);
  std::vector<Constraint> own = {
      {"the layer has only one panel, so tasks cannot be split along output channels",
       [=](const Settings &s) { return s[kCut] == 0 || model.panels(s[kVectors]) > 1; }},
      {"a block of input channels does not have more steps than are unrolled",
       [=](const Settings &s) { return s[kUnroll] < steps; }},
      {"a task has too few rows for this number of parts",
       [=](const Settings &s) {
         Settings whole = s;
         whole[kParts] = 1;
         return s[kParts] == 1 || configure(whole).getRows() >= s[kParts];
       }},
      {"a task has one row or one panel, so the order of its loops has no effect",
       [=](const Settings &s) {
         ConvDotAttr config = configure(s);
         return s[kRowsFirst] == 0 || (config.getRows() > 1 && config.getPanels() > 1);
       }},
      {"only convolutions of several blocks of input channels with one tap prefetch pixels",
       [=, problem = kernel.problem](const Settings &s) {
         return s[kNoFetch] == 0 ||
                (problem.taps() == 1 && !problem.isMatrix && problem.inputChannels > 4 * steps);
       }},
  };
  llvm::append_range(space.constraints, own);
  space.configure = [=](const Settings &s) -> Attribute { return configure(s); };
  space.cycles = [=](const Settings &s) {
    return cyclesOf(kernel, model, machine, spaceCycles(model, s));
  };
  return space;
}

} // namespace convoy::kernels
