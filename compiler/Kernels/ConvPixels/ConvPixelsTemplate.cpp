// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The conv_pixels template as the layout stage, the tuner and the kernels stage see it.

#include "Kernels/ConvPixels/ConvPixels.h"
#include "Kernels/Convolution/ConvTemplate.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

class ConvPixelsTemplate : public ConvTemplate {
public:
  StringRef id() const override { return ConvPixelsAttr::getMnemonic(); }
  int version() const override { return kConvPixelsVersion; }
  bool usesBlocks() const override { return false; }

  LogicalResult lower(task::KernelOp function, Attribute config,
                      const Machine &machine) const override {
    return lowerConvPixels(function, cast<ConvPixelsAttr>(config), machine.vectorBytes);
  }

protected:
  std::string whyNotConv(const KernelFacts &facts, const Machine &machine) const override {
    if (!machine.hasLongVectors()) {
      return kShortVectors;
    }
    return canRunConvPixels(facts.conv->problem, machine)
               ? ""
               : "the kernel has groups, is a product of matrices or has a single pixel";
  }

  std::vector<Choice> chooseConv(const KernelFacts &facts, const Machine &machine) const override {
    auto choice = chooseConvPixels(facts.conv->problem, isFlat(facts), machine, facts.context());
    return choicesOf(choice, Attribute());
  }

  std::vector<LayoutSpace> convSpaces(const KernelFacts &facts,
                                      const Machine &machine) const override {
    return {{convPixelsSpace(facts.conv->problem, isFlat(facts), machine, facts.context()),
             Attribute()}};
  }

  std::string fitConv(const KernelFacts &facts, Attribute config, Attribute input,
                      Candidate &candidate) const override {
    auto own = cast<ConvPixelsAttr>(config);
    std::string reason = whyNotConvPixels(facts.conv->problem, isFlat(facts), own);
    return reason.empty() ? planar(facts, input, convPixelsWeights(own), candidate) : reason;
  }
};

} // namespace

const KernelTemplate &convPixelsTemplate() {
  static const ConvPixelsTemplate kTemplate;
  return kTemplate;
}

} // namespace convoy::kernels
