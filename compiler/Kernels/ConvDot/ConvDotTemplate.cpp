// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The conv_dot template. Its cost model is that of conv_direct: a step on four integer channels
// costs the same multiplications, loads and registers as a step on one f32 channel. It emits the
// convolution that ConvDot.td documents with a multiply of bytes.

#include "Kernels/ConvDirect/ConvDirectModel.h"
#include "Kernels/ConvDot/ConvDot.h"
#include "Kernels/Convolution/ConvTemplate.h"
#include "Kernels/Core/ConvEmitter.h"
#include "Kernels/Core/DotMultiply.h"
#include "Kernels/Core/Epilogue.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

constexpr int64_t kLineBytes = 64;
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
/// Largest number of products for which the sums of both dot products fit in i32.
constexpr int64_t kMostWideProducts = int64_t(1) << 16;

/// Returns the problem with groups of four channels as one channel.
ConvProblem inSteps(ConvProblem problem) {
  problem.inputChannels = (problem.inputChannels + 3) / 4;
  return problem;
}

int64_t inputBlock(const ConvProblem &problem, int64_t block) {
  bool isImage = problem.groups == 1 && problem.inputChannels <= 4 && !problem.isMatrix;
  return isImage ? 4 : block;
}

Attribute convDotInput(const ConvProblem &problem, ConvDotAttr config) {
  return problem.isMatrix
             ? Attribute()
             : graph::BlockedAttr::get(config.getContext(), inputBlock(problem, config.getBlock()));
}

Attribute convDotWeights(const ConvKernel &kernel, ConvDotAttr config, DotForm form) {
  const ConvProblem &p = kernel.problem;
  // With 16-bit inputs, the panels hold the sums of the weights: the correction may exceed i32.
  int64_t offset = kernel.integers->isInputWide ? -1 : zeroOfSums(*kernel.integers, form);
  int64_t channels = inputBlock(p, config.getBlock());
  return DotWeightsAttr::get(config.getContext(), config.getVectors() * config.getBlock(), channels,
                             p.isMatrix, offset, dotDepth(kernel, form, channels),
                             kernel.correctsWeights());
}

ConvTiling tilingFor(const ConvKernel &kernel, ConvDotAttr config, int64_t channelBlock) {
  const ConvProblem &p = kernel.problem;
  ConvTiling tiling = tilingOf(config, channelBlock);
  if (p.taps() == 1 && !p.isMatrix && channelBlock < p.inputChannels) {
    int64_t pixelBytes = p.strideColumns * channelBlock * (kernel.integers->isInputWide ? 2 : 1);
    tiling.fetchPixels = std::max<int64_t>(1, kLineBytes / pixelBytes);
  }
  return tiling;
}

class ConvDotTemplate : public ConvTemplate {
public:
  StringRef id() const override { return ConvDotAttr::getMnemonic(); }
  int version() const override { return 1; }
  bool usesBlocks() const override { return true; }

protected:
  Operands operands() const override { return Operands::Integers; }

  std::string whyNotConv(const KernelFacts &facts, const Machine &machine) const override {
    return whyNotConvDot(*facts.conv, machine.lanes());
  }

  std::vector<Choice> chooseConv(const KernelFacts &facts, const Machine &machine) const override {
    if (machine.dot == DotForm::None || !whyNotConv(facts, machine).empty()) {
      return {};
    }
    const ConvKernel &kernel = *facts.conv;
    const ConvProblem &p = kernel.problem;
    Machine own = machine;
    bool isPairs = machine.dot == DotForm::Pairs;
    int64_t channels = inputBlock(p, machine.lanes());
    own.vectorRegisters -= isPairs                                       ? kPairsRegisters
                           : dotDepth(kernel, machine.dot, channels) > 4 ? kMatmulRegisters
                           : isOfArm(machine.dot)                        ? kLaneRegisters
                                                                         : 0;
    bool isWide = kernel.integers->isInputWide;
    own.vectorRegisters = isWide ? own.vectorRegisters / 2 + 1 : own.vectorRegisters;
    InputLayout input = p.isMatrix ? InputLayout::Matrix : InputLayout::Blocked;
    ConvDirectModel model(inSteps(p), input, isFlat(facts), own);
    std::optional<Choice> best = model.choose(facts.context());
    if (!best) {
      return {};
    }
    auto direct = cast<ConvDirectAttr>(best->config);
    auto config = ConvDotAttr::get(facts.context(), direct.getBlock(), direct.getVectors(),
                                   direct.getPixels(), direct.getColumns(), direct.getRows(),
                                   direct.getPanels());
    auto results =
        static_cast<double>(p.batch * p.groups * model.blocks() * p.outputRows * p.outputColumns);
    if (kernel.correctsWeights()) {
      auto blocks = static_cast<double>(direct.getVectors() * direct.getPanels());
      best->cycles += best->cycles / blocks + kCorrectionCycles * results;
    }
    best->cycles = best->cycles * (isPairs ? kPairsCost : 1) * (isWide ? kWideCost : 1) +
                   (isWide ? 2 : 1) * kRescaleCycles * results;
    best->config = config;
    return choicesOf(best, convDotInput(p, config));
  }

  std::string whyNotConfig(const ConvKernel &kernel, Block &body, Attribute given) const override {
    auto config = cast<ConvDotAttr>(given);
    if (std::string reason = whyNotConvDot(kernel, config.getBlock()); !reason.empty()) {
      return reason;
    }
    const ConvProblem &p = kernel.problem;
    int64_t blocks = (p.outputChannels + config.getBlock() - 1) / config.getBlock();
    int64_t columns = config.getColumns();
    if (config.getVectors() > blocks || (p.groups > 1 && blocks % config.getVectors() != 0)) {
      return "the kernel has " + std::to_string(blocks) +
             " blocks of output channels, which tiles of " + std::to_string(config.getVectors()) +
             " blocks do not fit";
    }
    bool isJoined = columns == 0 || (columns % p.outputColumns == 0 &&
                                     p.outputRows * p.outputColumns % columns == 0 &&
                                     p.isPointwise() && isEpilogueFlat(kernel, body));
    return isJoined ? "" : "its rows cannot be joined to " + std::to_string(columns) + " columns";
  }

  std::string fitConv(const KernelFacts &facts, Attribute config, Attribute input,
                      Candidate &candidate) const override {
    auto own = cast<ConvDotAttr>(config);
    Attribute wanted = convDotInput(facts.conv->problem, own);
    if (input != wanted) {
      return "the template expects its input as " + layoutText(wanted) + ", got " +
             layoutText(input);
    }
    Attribute blocked = graph::BlockedAttr::get(facts.context(), own.getBlock());
    if (facts.conv->isInputReused && wanted != blocked) {
      return "its epilogue also reads the input, so the input must have the layout of the result";
    }
    Attribute weights = convDotWeights(*facts.conv, own, machineOf(facts.kernel).dot);
    return alongChannels(facts, own.getBlock(), input, weights, candidate);
  }

  LogicalResult lowerConv(task::KernelOp kernel, const ConvKernel &matched, Attribute given,
                          const Machine &machine) const override {
    auto config = cast<ConvDotAttr>(given);
    Block &body = kernel.getBody().front();
    auto weights =
        cast<DotWeightsAttr>(graph::layoutOf(body.getArgument(matched.weight).getType()));
    ConvTiling tiling = tilingFor(matched, config, weights.getI());
    KernelFunction function(kernel, inputSumBytes(matched, tiling));
    function.allowInPlace(addedOperands(matched, body));
    KernelEmitter elements(function.b, machine.vectorBytes);
    setProducts(elements, machine.dot);
    std::unique_ptr<Multiply> multiply = dotMultiply(
        elements, matched, function.operand(matched.input), function.operand(matched.weight),
        config.getBlock(), machine.dot, weights.getDepth());
    function.finish(ConvEmitter(function, matched, tiling, *multiply, elements).emit());
    return success();
  }
};

} // namespace

std::string whyNotConvDot(const ConvKernel &kernel, int64_t block) {
  const ConvProblem &p = kernel.problem;
  if (!kernel.integers) {
    return "the kernel is not an integer convolution or product";
  }
  if (p.groups > 1 && (p.inputChannels % block != 0 || p.outputChannels % block != 0)) {
    return "the channels of a group are not whole blocks";
  }
  if (p.isMatrix && p.inputChannels % 4 != 0) {
    return "the number of columns of its matrix is not a multiple of four";
  }
  if (kernel.integers->isInputWide && p.inputChannels * p.taps() > kMostWideProducts) {
    return "its sums have more than " + std::to_string(kMostWideProducts) +
           " products of 16-bit inputs";
  }
  return "";
}

const KernelTemplate &convDotTemplate() { return onlyObject<ConvDotTemplate>(); }

} // namespace convoy::kernels
