// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of a kernel template that follow from its virtual functions.

#include "Kernels/KernelTemplate.h"
#include "Support/TypedDiagnostic.h"

using namespace mlir;

namespace convoy::kernels {

KernelFacts::KernelFacts(graph::KernelOp kernel, bool isStrictMath)
    : kernel(kernel), isStrictMath(isStrictMath) {
  ConvMatch match = matchLayer(kernel.getBody().front());
  conv = match.kernel;
  whyNotConv = match.reason;
  // A template for more shapes would not help if the weights are not constant.
  auto weight = match.op ? dyn_cast<BlockArgument>(match.op->getOperand(1)) : BlockArgument();
  if (!conv && weight &&
      !kernel.getInputs()[weight.getArgNumber()].getDefiningOp<graph::ConstantOp>()) {
    whyNotConv = whyNotConstant(match.op);
  }
}

std::vector<LayoutSpace> KernelTemplate::spaces(const KernelFacts &facts,
                                                const Machine &machine) const {
  std::vector<LayoutSpace> result;
  for (const ConfigChoice &choice : choose(facts, machine)) {
    Space space;
    space.configure = [config = choice.config](const Settings &) { return config; };
    space.cycles = [cycles = choice.cycles](const Settings &) { return cycles; };
    result.push_back(named(std::move(space), choice.input));
  }
  return result;
}

LayoutSpace KernelTemplate::named(Space space, Attribute input) const {
  space.templateId = id().str();
  space.version = version();
  return {std::move(space), input};
}

GroupMatch KernelTemplate::matchGroup(Operation * /*last*/) const { return {}; }

std::string KernelTemplate::remark(graph::KernelOp /*kernel*/) const { return ""; }

std::vector<Candidate> KernelTemplate::candidates(const KernelFacts &facts,
                                                  const Machine &machine) const {
  std::vector<Candidate> result;
  for (const ConfigChoice &choice : choose(facts, machine)) {
    // A choice may still not fit the ops that are fused with the main op.
    Candidate candidate;
    if (fit(facts, choice.config, choice.input, candidate).empty()) {
      candidate.cycles = choice.cycles;
      result.push_back(std::move(candidate));
    }
  }
  return result;
}

std::string KernelTemplate::whyNoCandidate(const KernelFacts &facts, const Machine &machine) const {
  std::string reason = whyNot(facts, machine);
  if (!reason.empty()) {
    return reason;
  }
  reason = "the cost model has no configuration for the shape";
  for (const ConfigChoice &choice : choose(facts, machine)) {
    Candidate candidate;
    reason = fit(facts, choice.config, choice.input, candidate);
    if (reason.empty()) {
      break;
    }
  }
  return reason;
}

const KernelTemplate *templateWithId(StringRef id) {
  const auto *known = llvm::find_if(
      templates(), [&](const KernelTemplate *candidate) { return candidate->id() == id; });
  return known == templates().end() ? nullptr : *known;
}

const KernelTemplate *templateOf(Attribute config) {
  if (!config) {
    return &fallbackTemplate();
  }
  StringRef name = config.getAbstractAttribute().getName();
  if (!name.consume_front("kernel.")) {
    return nullptr;
  }
  return templateWithId(name);
}

StringRef templateId(Attribute config) {
  return config ? config.getAbstractAttribute().getName().split('.').second
                : fallbackTemplate().id();
}

std::vector<ConfigChoice> choicesOf(const std::optional<ConfigChoice> &chosen, Attribute input) {
  return chosen ? std::vector<ConfigChoice>{{chosen->config, input, chosen->cycles}}
                : std::vector<ConfigChoice>();
}

LogicalResult emitMisfit(Operation *kernel, Attribute config, const std::string &reason) {
  return emitBug(kernel, "has the configuration ")
         << config << ", which does not fit the kernel: " << reason
         << "; this is a bug in convoy's layout stage";
}

std::string layoutText(Attribute layout) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (layout) {
    layout.print(stream);
  } else {
    stream << "planar";
  }
  return text;
}

} // namespace convoy::kernels
