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

  std::string whyNotConfig(const ConvKernel &kernel, Block &body, Attribute config) const override {
    return whyNotConvPixels(kernel.problem, isEpilogueFlat(kernel, body),
                            cast<ConvPixelsAttr>(config));
  }

  std::string fitConv(const KernelFacts &facts, Attribute config, Attribute input,
                      Candidate &candidate) const override {
    auto own = cast<ConvPixelsAttr>(config);
    return planar(facts, input, convPixelsWeights(own), candidate);
  }

  LogicalResult lowerConv(task::KernelOp function, const ConvKernel &kernel, Attribute config,
                          const Machine &machine) const override {
    return lowerConvPixels(function, kernel, cast<ConvPixelsAttr>(config), machine.vectorBytes);
  }
};

} // namespace

const KernelTemplate &convPixelsTemplate() { return onlyObject<ConvPixelsTemplate>(); }

} // namespace convoy::kernels
