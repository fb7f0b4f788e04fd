// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pool_pixels template as the layout stage, the tuner and the kernels stage see it.

#include "Kernels/MatchingTemplate.h"
#include "Kernels/PoolPixels/PoolPixels.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

class PoolPixelsTemplate : public MatchingTemplate<PoolPixelsAttr, ConvProblem> {
public:
  int version() const override { return kPoolPixelsVersion; }

protected:
  std::optional<ConvProblem> match(Block &body, std::string &reason) const override {
    std::optional<ConvProblem> pool = matchPoolKernel(body);
    reason = pool ? "" : "the kernel is not a single max pool of f32 images";
    return pool;
  }

  std::string whyNotMatched(const KernelFacts & /*facts*/, const ConvProblem & /*pool*/,
                            const Machine &machine) const override {
    return machine.hasLongVectors() ? "" : kShortVectors;
  }

  std::vector<Choice> chooseMatched(const KernelFacts &facts, const ConvProblem &pool,
                                    const Machine &machine) const override {
    return choicesOf(choosePoolPixels(pool, machine, facts.context()), Attribute());
  }

  LogicalResult lowerMatched(task::KernelOp function, const ConvProblem &pool, PoolPixelsAttr config,
                             const Machine &machine) const override {
    return lowerPoolPixels(function, pool, config, machine.vectorBytes);
  }
};

} // namespace

const KernelTemplate &poolPixelsTemplate() { return onlyObject<PoolPixelsTemplate>(); }

} // namespace convoy::kernels
