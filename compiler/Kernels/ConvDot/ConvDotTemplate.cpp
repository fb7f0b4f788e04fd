// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The conv_dot template. Emits the convolution that ConvDot.td documents with a multiply of bytes.

#include "Kernels/ConvDot/ConvDot.h"
#include "Kernels/Convolution/ConvTemplate.h"
#include "Kernels/Core/ConvEmitter.h"
#include "Kernels/Core/DotMultiply.h"
#include "Kernels/Core/Epilogue.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

constexpr int64_t kLineBytes = 64;
/// Largest number of products for which the sums of both dot products fit in i32.
constexpr int64_t kMostWideProducts = int64_t(1) << 16;

Attribute convDotInput(const ConvProblem &problem, Attribute config) {
  int64_t block = dotInputBlock(problem, cast<ConvDotAttr>(config).getBlock());
  return problem.isMatrix ? Attribute() : graph::BlockedAttr::get(config.getContext(), block);
}

Attribute convDotWeights(const ConvKernel &kernel, ConvDotAttr config, DotForm form) {
  const ConvProblem &p = kernel.problem;
  // With 16-bit inputs, the panels hold the sums of the weights: the correction may exceed i32.
  int64_t offset = kernel.integers->isInputWide ? -1 : zeroOfSums(*kernel.integers, form);
  int64_t channels = dotInputBlock(p, config.getBlock());
  return DotWeightsAttr::get(config.getContext(), config.getVectors() * config.getBlock(), channels,
                             p.isMatrix, offset, dotDepth(kernel, form, channels),
                             kernel.correctsWeights());
}

ConvTiling tilingFor(const ConvKernel &kernel, ConvDotAttr config, int64_t channelBlock) {
  const ConvProblem &p = kernel.problem;
  ConvTiling tiling = tilingOf(config, channelBlock);
  tiling.unroll = config.getUnroll();
  tiling.rowsFirst = config.getRowsFirst();
  if (!config.getNoFetch() && p.taps() == 1 && !p.isMatrix && channelBlock < p.inputChannels) {
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

  std::vector<ConfigChoice> chooseConv(const KernelFacts &facts,
                                       const Machine &machine) const override {
    std::optional<ConfigChoice> best =
        chooseConvDot(*facts.conv, isFlat(facts), machine, facts.context());
    return best ? choicesOf(best, convDotInput(facts.conv->problem, best->config))
                : std::vector<ConfigChoice>();
  }

  std::vector<LayoutSpace> convSpaces(const KernelFacts &facts,
                                      const Machine &machine) const override {
    std::vector<LayoutSpace> spaces;
    for (const ConfigChoice &choice : chooseConv(facts, machine)) {
      spaces.push_back(
          named(convDotSpace(*facts.conv, isFlat(facts), machine, facts.context()), choice.input));
    }
    return spaces;
  }

  std::string whyNotConfig(const ConvKernel &kernel, Block &body, Attribute given) const override {
    auto config = cast<ConvDotAttr>(given);
    if (std::string reason = whyNotConvDot(kernel, config.getBlock()); !reason.empty()) {
      return reason;
    }
    const ConvProblem &p = kernel.problem;
    int64_t blocks = (p.outputChannels + config.getBlock() - 1) / config.getBlock();
    int64_t columns = config.getColumns();
    if (config.getUnroll() * 4 > dotInputBlock(p, config.getBlock())) {
      return "a block of input channels has fewer than " + std::to_string(config.getUnroll()) +
             " steps of four channels";
    }
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
