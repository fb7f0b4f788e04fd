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

  LogicalResult lower(task::KernelOp function, Attribute config,
                      const Machine &machine) const override {
    return lowerConvDot(function, cast<ConvDotAttr>(config), machine.vectorBytes, machine.dot);
  }

protected:
  Operands operands() const override { return Operands::Integers; }

  std::string whyNotConv(const KernelFacts &facts, const Machine &machine) const override {
    return whyNotConvDot(*facts.conv, machine.lanes());
  }

  std::vector<Choice> chooseConv(const KernelFacts &facts, const Machine &machine) const override {
    auto choice = chooseConvDot(*facts.conv, isFlat(facts), machine, facts.context());
    if (!choice) {
      return {};
    }
    return {{choice->config, convDotInput(facts.conv->problem, choice->config), choice->cycles}};
  }

  std::string fitConv(const KernelFacts &facts, Attribute config, Attribute input,
                      Candidate &candidate) const override {
    auto own = cast<ConvDotAttr>(config);
    if (std::string reason = whyNotConvDot(*facts.conv, facts.body(), own); !reason.empty()) {
      return reason;
    }
    Attribute wanted = convDotInput(facts.conv->problem, own);
    if (input != wanted) {
      return "the template expects its input as " + layoutText(wanted) + ", got " +
             layoutText(input);
    }
    Attribute blocked = graph::BlockedAttr::get(facts.context(), own.getBlock());
    if (facts.conv->isInputReused && wanted != blocked) {
      return "its epilogue also reads the input, so the input must have the layout of the result";
    }
    return alongChannels(facts, own.getBlock(), input, convDotWeights(*facts.conv, own), candidate);
  }
};

} // namespace

const KernelTemplate &convDotTemplate() {
  static const ConvDotTemplate kTemplate;
  return kTemplate;
}

} // namespace convoy::kernels
