// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The conv_tiles template as the layout stage, the tuner and the kernels stage see it.

#include "Kernels/ConvTiles/ConvTiles.h"
#include "Kernels/Convolution/ConvTemplate.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

class ConvTilesTemplate : public ConvTemplate {
public:
  StringRef id() const override { return ConvTilesAttr::getMnemonic(); }
  int version() const override { return kConvTilesVersion; }
  bool usesBlocks() const override { return true; }

  LogicalResult lower(task::KernelOp function, Attribute config,
                      const Machine &machine) const override {
    return lowerConvTiles(function, cast<ConvTilesAttr>(config), machine.vectorBytes);
  }

protected:
  Operands operands() const override { return Operands::Integers; }

  std::string whyNotConv(const KernelFacts &facts, const Machine &machine) const override {
    if (!machine.hasTiles) {
      return "the target has no tile registers (AMX)";
    }
    return whyNotConvTiles(*facts.conv);
  }

  std::vector<Choice> chooseConv(const KernelFacts &facts, const Machine &machine) const override {
    auto choice = chooseConvTiles(*facts.conv, machine, facts.context());
    return choicesOf(choice, nativeBlocks(facts, machine));
  }

  std::string fitConv(const KernelFacts &facts, Attribute config, Attribute input,
                      Candidate &candidate) const override {
    auto own = cast<ConvTilesAttr>(config);
    std::string reason = whyNotConvTiles(*facts.conv, own);
    return reason.empty() ? inBlocks(facts, own.getBlock(), input,
                                     convTilesWeights(*facts.conv, own), candidate)
                          : reason;
  }
};

} // namespace

const KernelTemplate &convTilesTemplate() {
  static const ConvTilesTemplate kTemplate;
  return kTemplate;
}

} // namespace convoy::kernels
