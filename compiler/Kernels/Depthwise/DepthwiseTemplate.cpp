// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The depthwise template as the layout stage, the tuner and the kernels stage see it.

#include "Kernels/Convolution/ConvTemplate.h"
#include "Kernels/Depthwise/Depthwise.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

class DepthwiseTemplate : public ConvTemplate {
public:
  StringRef id() const override { return DepthwiseAttr::getMnemonic(); }
  int version() const override { return kDepthwiseVersion; }
  bool usesBlocks() const override { return true; }

protected:
  Operands operands() const override { return Operands::Both; }

  std::string whyNotConv(const KernelFacts &facts, const Machine &machine) const override {
    const std::optional<IntegerOperands> &own = facts.conv->integers;
    Type sums = cast<TensorType>(facts.conv->op->getResult(0).getType()).getElementType();
    bool fits = !own || !own->isInputWide ||
                (own->isInputSigned && own->inputZeroPoint == 0 && sums.isInteger(32));
    if (!fits) {
      return "the input has 16 bits; the template then expects int16 with zero point 0 and 32-bit "
             "sums";
    }
    return canRunDepthwise(facts.conv->problem) ? "" : kOther;
  }

  std::vector<Choice> chooseConv(const KernelFacts &facts, const Machine &machine) const override {
    auto choice = chooseDepthwise(facts.conv->problem, machine, facts.context());
    return choicesOf(choice, nativeBlocks(facts, machine));
  }

  std::vector<LayoutSpace> convSpaces(const KernelFacts &facts,
                                      const Machine &machine) const override {
    return {{depthwiseSpace(facts.conv->problem, machine, facts.context()),
             nativeBlocks(facts, machine)}};
  }

  std::string whyNotConfig(const ConvKernel &kernel, Block & /*body*/,
                           Attribute /*config*/) const override {
    return canRunDepthwise(kernel.problem) ? "" : kOther;
  }

  std::string fitConv(const KernelFacts &facts, Attribute config, Attribute input,
                      Candidate &candidate) const override {
    auto own = cast<DepthwiseAttr>(config);
    return inBlocks(facts, own.getBlock(), input, depthwiseWeights(own), candidate);
  }

  LogicalResult lowerConv(task::KernelOp function, const ConvKernel &kernel, Attribute config,
                          const Machine &machine) const override {
    return lowerDepthwise(function, kernel, cast<DepthwiseAttr>(config), machine.vectorBytes,
                          machine.dot);
  }

private:
  static constexpr const char *kOther =
      "the kernel is not a depthwise convolution with one output channel per group";
};

} // namespace

const KernelTemplate &depthwiseTemplate() { return onlyObject<DepthwiseTemplate>(); }

} // namespace convoy::kernels
