// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The template `attention` as the layout stage, the tuner and the kernels stage see it.

#include "Kernels/Attention/Attention.h"
#include "Kernels/KernelTemplate.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

class AttentionTemplate : public KernelTemplate {
public:
  StringRef id() const override { return AttentionAttr::getMnemonic(); }
  int version() const override { return kAttentionVersion; }
  bool usesBlocks() const override { return false; }

  std::string whyNot(const KernelFacts &facts, const Machine & /*machine*/) const override {
    AttentionMatch match = matchAttentionKernel(facts.body());
    // Kernels that compute something else have the same reason for all templates.
    return match.hasSoftmax || facts.whyNotConv.empty() ? match.reason : facts.whyNotConv;
  }

  std::vector<Choice> choose(const KernelFacts &facts, const Machine &machine) const override {
    AttentionMatch match = matchAttentionKernel(facts.body());
    if (!match.problem) {
      return {};
    }
    Space space = attentionSpace(*match.problem, machine, facts.isStrictMath, facts.context());
    std::optional<Settings> best;
    double cycles = 0;
    space.forEach([&](const Settings &settings) {
      if (!space.whyNot(settings).empty()) {
        return;
      }
      double estimate = space.cycles(settings);
      if (!best || estimate < cycles) {
        best = settings;
        cycles = estimate;
      }
    });
    return best ? std::vector<Choice>{{space.configure(*best), Attribute(), cycles}}
                : std::vector<Choice>();
  }

  std::vector<LayoutSpace> spaces(const KernelFacts &facts, const Machine &machine) const override {
    AttentionMatch match = matchAttentionKernel(facts.body());
    if (!match.problem) {
      return {};
    }
    return {{attentionSpace(*match.problem, machine, facts.isStrictMath, facts.context()),
             Attribute()}};
  }

  std::string fit(const KernelFacts &facts, Attribute config, Attribute input,
                  Candidate &candidate) const override {
    AttentionMatch match = matchAttentionKernel(facts.body());
    if (!match.problem) {
      return match.reason;
    }
    if (input) {
      return "the template expects a planar input, got " + layoutText(input);
    }
    candidate.operands.assign(facts.kernel.getInputs().size(), Attribute()); // planar
    candidate.config = config;
    return whyNotAttention(*match.problem, cast<AttentionAttr>(config));
  }

  LogicalResult lower(task::KernelOp function, Attribute config,
                      const Machine &machine) const override {
    return lowerAttention(function, cast<AttentionAttr>(config), machine);
  }
};

} // namespace

const KernelTemplate &attentionTemplate() {
  static const AttentionTemplate kTemplate;
  return kTemplate;
}

} // namespace convoy::kernels
