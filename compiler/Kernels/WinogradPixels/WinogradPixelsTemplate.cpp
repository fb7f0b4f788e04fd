// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The winograd_pixels template as the layout stage, the tuner and the kernels stage see it.

#include "Kernels/Convolution/ConvTemplate.h"
#include "Kernels/Winograd/Winograd.h"
#include "Kernels/WinogradPixels/WinogradPixels.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

class WinogradPixelsTemplate : public ConvTemplate {
public:
  StringRef id() const override { return WinogradPixelsAttr::getMnemonic(); }
  int version() const override { return kWinogradPixelsVersion; }
  bool usesBlocks() const override { return false; }

protected:
  std::string whyNotConv(const KernelFacts &facts, const Machine &machine) const override {
    if (std::string reason = whyNotWinograd(facts.conv->problem, facts.isStrictMath);
        !reason.empty()) {
      return reason;
    }
    if (!machine.hasLongVectors()) {
      return kShortVectors;
    }
    return "";
  }

  std::vector<Choice> chooseConv(const KernelFacts &facts, const Machine &machine) const override {
    auto choice = chooseWinogradPixels(facts.conv->problem, machine, facts.context());
    return choicesOf(choice, Attribute());
  }

  std::string whyNotConfig(const ConvKernel &kernel, Block & /*body*/,
                           Attribute config) const override {
    return whyNotWinogradPixels(kernel.problem, cast<WinogradPixelsAttr>(config));
  }

  std::string fitConv(const KernelFacts &facts, Attribute config, Attribute input,
                      Candidate &candidate) const override {
    auto own = cast<WinogradPixelsAttr>(config);
    return planar(facts, input, winogradPixelsWeights(own), candidate);
  }

  LogicalResult lowerConv(task::KernelOp function, const ConvKernel &kernel, Attribute config,
                          const Machine &machine) const override {
    return lowerWinogradPixels(function, kernel, cast<WinogradPixelsAttr>(config),
                               machine.vectorBytes);
  }
};

} // namespace

const KernelTemplate &winogradPixelsTemplate() { return onlyObject<WinogradPixelsTemplate>(); }

} // namespace convoy::kernels
