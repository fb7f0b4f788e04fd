// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The conv_direct template as the layout stage, the tuner and the kernels stage see it.

#include "Kernels/ConvDirect/ConvDirect.h"
#include "Kernels/Convolution/ConvTemplate.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

/// Returns the input layouts that the template tries for a problem, in order.
SmallVector<InputLayout> inputsOf(const ConvProblem &problem) {
  if (problem.isMatrix) {
    return {InputLayout::Matrix};
  }
  return {InputLayout::Blocked, InputLayout::Planar};
}

class ConvDirectTemplate : public ConvTemplate {
public:
  StringRef id() const override { return ConvDirectAttr::getMnemonic(); }
  int version() const override { return kConvDirectVersion; }
  bool usesBlocks() const override { return true; }

protected:
  std::string whyNotConv(const KernelFacts &facts, const Machine &machine) const override {
    const ConvProblem &p = facts.conv->problem;
    bool canRun = llvm::any_of(
        inputsOf(p), [&](InputLayout input) { return canRunConvDirect(p, input, machine); });
    if (canRun) {
      return "";
    }
    return "a group has " + std::to_string(p.inputChannels) + " input and " +
           std::to_string(p.outputChannels) +
           " output channels, the template expects multiples of " + std::to_string(machine.lanes());
  }

  std::vector<Choice> chooseConv(const KernelFacts &facts, const Machine &machine) const override {
    std::vector<Choice> choices;
    for (InputLayout input : inputsOf(facts.conv->problem)) {
      auto choice =
          chooseConvDirect(facts.conv->problem, input, isFlat(facts), machine, facts.context());
      if (choice) {
        choices.push_back({choice->config, layoutOf(input, facts, machine), choice->cycles});
      }
    }
    return choices;
  }

  std::vector<LayoutSpace> convSpaces(const KernelFacts &facts,
                                      const Machine &machine) const override {
    const ConvProblem &p = facts.conv->problem;
    std::vector<LayoutSpace> spaces;
    for (InputLayout input : inputsOf(p)) {
      if (canRunConvDirect(p, input, machine)) {
        spaces.push_back({convDirectSpace(p, input, isFlat(facts), machine, facts.context()),
                          layoutOf(input, facts, machine)});
      }
    }
    return spaces;
  }

  std::string fitConv(const KernelFacts &facts, Attribute config, Attribute input,
                      Candidate &candidate) const override {
    auto own = cast<ConvDirectAttr>(config);
    const ConvProblem &p = facts.conv->problem;
    auto blocked = graph::BlockedAttr::get(facts.context(), own.getBlock());
    InputLayout form = p.isMatrix         ? InputLayout::Matrix
                       : input == blocked ? InputLayout::Blocked
                                          : InputLayout::Planar;
    if (input && form != InputLayout::Blocked) {
      return "the template expects its input as " + layoutText(blocked) + " or planar, got " +
             layoutText(input);
    }
    if (facts.conv->isInputReused && !isAsResult(facts, form, input, blocked)) {
      return "its epilogue also reads the input, so the input must have the layout of the result";
    }
    std::string reason = whyNotConvDirect(*facts.conv, facts.body(), own, form);
    return reason.empty() ? alongChannels(facts, own.getBlock(), input,
                                          convDirectWeights(p, own, form), candidate)
                          : reason;
  }

  LogicalResult lowerConv(task::KernelOp function, const ConvKernel &kernel, Attribute config,
                          const Machine &machine) const override {
    return lowerConvDirect(function, kernel, cast<ConvDirectAttr>(config), machine.vectorBytes);
  }

private:
  static Attribute layoutOf(InputLayout input, const KernelFacts &facts, const Machine &machine) {
    return input == InputLayout::Blocked ? nativeBlocks(facts, machine) : Attribute();
  }

  /// Returns whether the input has the layout of the result. If the rows of a matrix are whole
  /// blocks, the planar and the blocked layout have the same bytes.
  static bool isAsResult(const KernelFacts &facts, InputLayout form, Attribute input,
                         Attribute blocked) {
    auto type = cast<RankedTensorType>(facts.kernel.getInputs()[facts.conv->input].getType());
    return form == InputLayout::Blocked ||
           (form == InputLayout::Matrix && graph::isSameInMemory(type.getShape(), input, blocked));
  }
};

} // namespace

const KernelTemplate &convDirectTemplate() { return onlyObject<ConvDirectTemplate>(); }

} // namespace convoy::kernels
