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
    auto choice = chooseConvDot(*facts.conv, isFlat(facts), machine, facts.context());
    return choice ? choicesOf(choice,
                              convDotInput(facts.conv->problem, cast<ConvDotAttr>(choice->config)))
                  : std::vector<Choice>();
  }

  std::string whyNotConfig(const ConvKernel &kernel, Block &body, Attribute config) const override {
    return whyNotConvDot(kernel, body, cast<ConvDotAttr>(config));
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
    KernelFunction function(kernel);
    Block &body = function.body();
    function.allowInPlace(addedOperands(matched, body));
    auto weights =
        cast<DotWeightsAttr>(graph::layoutOf(body.getArgument(matched.weight).getType()));
    KernelEmitter elements(function.b, machine.vectorBytes);
    setProducts(elements, machine.dot);
    std::unique_ptr<Multiply> multiply = dotMultiply(
        elements, matched, function.operand(matched.input), function.operand(matched.weight),
        config.getBlock(), machine.dot, weights.getDepth());
    ConvTiling tiling = tilingFor(matched, config, weights.getI());
    function.finish(ConvEmitter(function, matched, tiling, *multiply, elements).emit());
    return success();
  }
};

} // namespace

const KernelTemplate &convDotTemplate() { return onlyObject<ConvDotTemplate>(); }

} // namespace convoy::kernels
