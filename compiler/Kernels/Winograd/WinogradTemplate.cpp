// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The winograd template as the layout stage, the tuner and the kernels stage see it.

#include "Kernels/Convolution/ConvTemplate.h"
#include "Kernels/Winograd/Nodes.h"
#include "Kernels/Winograd/Winograd.h"

using namespace mlir;

namespace convoy::kernels {

bool canRunWinograd(const ConvProblem &p, int64_t tile) {
  return !p.isMatrix && p.groups == 1 && p.kernelRows == 3 && p.kernelColumns == 3 &&
         p.strideRows == 1 && p.strideColumns == 1 && p.dilationRows == 1 &&
         p.dilationColumns == 1 && !winogradPairs(tile).empty();
}

std::string whyNotWinograd(const ConvProblem &problem, bool isStrictMath) {
  if (!canRunWinograd(problem, /*tile=*/2)) {
    return "the kernel is not a 3 x 3 convolution with one group, stride 1 and dilation 1";
  }
  return isStrictMath ? "--math=strict excludes Winograd convolution" : "";
}

bool isForWinograd(const ConvProblem &problem, const Machine &machine) {
  return canRunWinograd(problem, 2) && problem.inputChannels >= machine.lanes() / 2;
}

namespace {

class WinogradTemplate : public ConvTemplate {
public:
  StringRef id() const override { return WinogradAttr::getMnemonic(); }
  int version() const override { return 2; }
  bool usesBlocks() const override { return true; }

protected:
  std::string whyNotConv(const KernelFacts &facts, const Machine &machine) const override {
    if (std::string reason = whyNotWinograd(facts.conv->problem, facts.isStrictMath);
        !reason.empty()) {
      return reason;
    }
    if (!isForWinograd(facts.conv->problem, machine)) {
      return "the convolution has " + std::to_string(facts.conv->problem.inputChannels) +
             " input channels, the template expects at least " +
             std::to_string(machine.lanes() / 2);
    }
    return "";
  }

  std::vector<ConfigChoice> chooseConv(const KernelFacts &facts,
                                       const Machine &machine) const override {
    const ConvProblem &p = facts.conv->problem;
    auto choice = chooseWinograd(p, machine, facts.context());
    std::vector<ConfigChoice> choices = choicesOf(choice, nativeBlocks(facts, machine));
    // Tiles of 2 have 16/9 of the weights, tiles of 4 have four times as many. A build with a limit
    // of weights can choose between them.
    if (choice && machine.hasLongVectors() && cast<WinogradAttr>(choice->config).getTile() == 4) {
      llvm::append_range(choices, choicesOf(chooseWinogradTile(p, machine, 2, facts.context()),
                                            nativeBlocks(facts, machine)));
    }
    return choices;
  }

  std::vector<LayoutSpace> convSpaces(const KernelFacts &facts,
                                      const Machine &machine) const override {
    return {named(winogradSpace(facts.conv->problem, machine, facts.context()),
                  nativeBlocks(facts, machine))};
  }

  std::string whyNotConfig(const ConvKernel &kernel, Block & /*body*/,
                           Attribute config) const override {
    return canRunWinograd(kernel.problem, cast<WinogradAttr>(config).getTile())
               ? ""
               : "the kernel is not a 3 x 3 convolution at stride 1, or the tile size is not "
                 "supported";
  }

  std::string fitConv(const KernelFacts &facts, Attribute config, Attribute input,
                      Candidate &candidate) const override {
    auto own = cast<WinogradAttr>(config);
    Attribute weights = WinogradWeightsAttr::get(
        facts.context(), own.getTile(), own.getVectors() * own.getBlock(), own.getPanels());
    return inBlocks(facts, own.getBlock(), input, weights, candidate);
  }

  LogicalResult lowerConv(task::KernelOp function, const ConvKernel &kernel, Attribute config,
                          const Machine &machine) const override {
    return lowerWinograd(function, kernel, cast<WinogradAttr>(config), machine.vectorBytes);
  }
};

} // namespace

const KernelTemplate &winogradTemplate() { return onlyObject<WinogradTemplate>(); }

} // namespace convoy::kernels
