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

  std::string whyNotConfig(const ConvKernel &kernel, Block & /*body*/,
                           Attribute config) const override {
    return whyNotConvTiles(kernel, cast<ConvTilesAttr>(config));
  }

  std::string fitConv(const KernelFacts &facts, Attribute config, Attribute input,
                      Candidate &candidate) const override {
    auto own = cast<ConvTilesAttr>(config);
    return inBlocks(facts, own.getBlock(), input, convTilesWeights(*facts.conv, own), candidate);
  }

  LogicalResult lowerConv(task::KernelOp function, const ConvKernel &kernel, Attribute config,
                          const Machine &machine) const override {
    return lowerConvTiles(function, kernel, cast<ConvTilesAttr>(config), machine.vectorBytes);
  }
};

} // namespace

const KernelTemplate &convTilesTemplate() { return onlyObject<ConvTilesTemplate>(); }

} // namespace convoy::kernels
