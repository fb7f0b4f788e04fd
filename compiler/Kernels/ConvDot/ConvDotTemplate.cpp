// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The conv_dot template as the layout stage, the tuner and the kernels stage see it.

#include "Kernels/ConvDot/ConvDot.h"
#include "Kernels/Convolution/ConvTemplate.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

class ConvDotTemplate : public ConvTemplate {
public:
  StringRef id() const override { return ConvDotAttr::getMnemonic(); }
  int version() const override { return kConvDotVersion; }
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

  LogicalResult lowerConv(task::KernelOp function, const ConvKernel &kernel, Attribute config,
                          const Machine &machine) const override {
    return lowerConvDot(function, kernel, cast<ConvDotAttr>(config), machine.vectorBytes,
                        machine.dot);
  }
};

} // namespace

const KernelTemplate &convDotTemplate() { return onlyObject<ConvDotTemplate>(); }

} // namespace convoy::kernels
