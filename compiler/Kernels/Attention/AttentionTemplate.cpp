// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The template `attention` as the layout stage, the tuner and the kernels stage see it.

#include "Kernels/Attention/Attention.h"
#include "Kernels/MatchingTemplate.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

class AttentionTemplate : public MatchingTemplate<AttentionAttr, AttentionProblem> {
public:
  int version() const override { return kAttentionVersion; }

protected:
  std::optional<AttentionProblem> match(Block &body, std::string &reason) const override {
    AttentionMatch match = matchAttentionKernel(body);
    reason = match.reason;
    return match.problem;
  }

  std::optional<AttentionProblem> matchFacts(const KernelFacts &facts,
                                             std::string &reason) const override {
    AttentionMatch match = matchAttentionKernel(facts.body());
    // Kernels that compute something else have the same reason for all templates.
    reason = match.hasSoftmax || facts.whyNotConv.empty() ? match.reason : facts.whyNotConv;
    return match.problem;
  }

  std::string whyNotConfig(const AttentionProblem &problem, Block & /*body*/,
                           AttentionAttr config) const override {
    return whyNotAttention(problem, config);
  }

  std::optional<Space> spaceOf(const KernelFacts &facts, const AttentionProblem &problem,
                               const Machine &machine) const override {
    return attentionSpace(problem, machine, facts.isStrictMath, facts.context());
  }

  LogicalResult lowerMatched(task::KernelOp function, const AttentionProblem &problem,
                             AttentionAttr config, const Machine &machine) const override {
    return lowerAttention(function, problem, config, machine);
  }
};

} // namespace

const KernelTemplate &attentionTemplate() { return onlyObject<AttentionTemplate>(); }

} // namespace convoy::kernels
