// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that a kernel is a convolution or product with constant weights on operands that the
// template supports, and derives the layouts of its operands.

#include "Kernels/Convolution/ConvTemplate.h"

using namespace mlir;

namespace convoy::kernels {

std::string ConvTemplate::whyNotTypes(const ConvKernel &kernel) const {
  if (operands() == Operands::Integers && !kernel.integers) {
    return "the kernel computes with floats, the template expects 8-bit integers";
  }
  if (operands() == Operands::Floats && kernel.integers) {
    return "the kernel computes with integers, the template expects f32";
  }
  return "";
}

std::string ConvTemplate::whyNotOperands(const KernelFacts &facts) const {
  if (!facts.conv) {
    return facts.whyNotConv;
  }
  if (!facts.kernel.getInputs()[facts.conv->weight].getDefiningOp<graph::ConstantOp>()) {
    return whyNotConstant(facts.conv->op);
  }
  return whyNotTypes(*facts.conv);
}

std::string ConvTemplate::whyNot(const KernelFacts &facts, const Machine &machine) const {
  std::string reason = whyNotOperands(facts);
  if (!reason.empty()) {
    return reason;
  }
  if (facts.conv->integers && machine.dot == DotForm::None) {
    return "the target has no instruction for dot products of integers";
  }
  return whyNotConv(facts, machine);
}

std::vector<ConfigChoice> ConvTemplate::choose(const KernelFacts &facts,
                                               const Machine &machine) const {
  return whyNot(facts, machine).empty() ? chooseConv(facts, machine) : std::vector<ConfigChoice>();
}

std::vector<LayoutSpace> ConvTemplate::spaces(const KernelFacts &facts,
                                              const Machine &machine) const {
  return whyNot(facts, machine).empty() ? convSpaces(facts, machine) : std::vector<LayoutSpace>();
}

std::vector<LayoutSpace> ConvTemplate::convSpaces(const KernelFacts &facts,
                                                  const Machine &machine) const {
  return KernelTemplate::spaces(facts, machine);
}

std::string ConvTemplate::fit(const KernelFacts &facts, Attribute config, Attribute input,
                              Candidate &candidate) const {
  std::string reason = whyNotOperands(facts);
  reason = reason.empty() ? whyNotConfig(*facts.conv, facts.body(), config) : reason;
  candidate.config = config;
  return reason.empty() ? fitConv(facts, config, input, candidate) : reason;
}

LogicalResult ConvTemplate::lower(task::KernelOp function, Attribute config,
                                  const Machine &machine) const {
  Block &body = function.getBody().front();
  ConvMatch match = matchLayer(body);
  std::string reason = match.kernel ? whyNotTypes(*match.kernel) : match.reason;
  reason = reason.empty() ? whyNotConfig(*match.kernel, body, config) : reason;
  return reason.empty() ? lowerConv(function, *match.kernel, config, machine)
                        : emitMisfit(function, config, reason);
}

std::string ConvTemplate::alongChannels(const KernelFacts &facts, int64_t block, Attribute input,
                                        Attribute weights, Candidate &candidate) {
  auto layouts = epilogueLayouts(*facts.conv, facts.body(), block);
  if (!layouts) {
    return "an operand of its epilogue has no layout with lanes along channels";
  }
  candidate.operands = *layouts;
  candidate.operands[facts.conv->input] = input;
  candidate.operands[facts.conv->weight] = weights;
  candidate.result = graph::BlockedAttr::get(facts.context(), block);
  return "";
}

std::string ConvTemplate::inBlocks(const KernelFacts &facts, int64_t block, Attribute input,
                                   Attribute weights, Candidate &candidate) {
  std::string reason = alongChannels(facts, block, input, weights, candidate);
  if (reason.empty() && input != candidate.result) {
    return "the template expects its input as " + layoutText(candidate.result) + ", got " +
           layoutText(input);
  }
  return reason;
}

std::string ConvTemplate::planar(const KernelFacts &facts, Attribute input, Attribute weights,
                                 Candidate &candidate) {
  if (input) {
    return "the template expects a planar input, got " + layoutText(input);
  }
  candidate.operands.assign(facts.kernel.getInputs().size(), Attribute());
  candidate.operands[facts.conv->weight] = weights;
  return "";
}

Attribute nativeBlocks(const KernelFacts &facts, const Machine &machine) {
  return graph::BlockedAttr::get(facts.context(), machine.lanes());
}

bool isFlat(const KernelFacts &facts) { return isEpilogueFlat(*facts.conv, facts.body()); }

} // namespace convoy::kernels
