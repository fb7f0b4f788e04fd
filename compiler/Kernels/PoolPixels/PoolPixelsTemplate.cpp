// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pool_pixels template as the layout stage, the tuner and the kernels stage see it.

#include "Kernels/KernelTemplate.h"
#include "Kernels/PoolPixels/PoolPixels.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

class PoolPixelsTemplate : public KernelTemplate {
public:
  StringRef id() const override { return PoolPixelsAttr::getMnemonic(); }
  int version() const override { return kPoolPixelsVersion; }
  bool usesBlocks() const override { return false; }

  std::string whyNot(const KernelFacts &facts, const Machine &machine) const override {
    if (!matchPoolKernel(facts.body())) {
      return "the kernel is not a single max pool of f32 images";
    }
    if (!machine.hasLongVectors()) {
      return kShortVectors;
    }
    return "";
  }

  std::vector<Choice> choose(const KernelFacts &facts, const Machine &machine) const override {
    std::optional<ConvProblem> pool = matchPoolKernel(facts.body());
    auto choice = pool ? choosePoolPixels(*pool, machine, facts.context()) : std::nullopt;
    return choicesOf(choice, Attribute());
  }

  std::string fit(const KernelFacts &facts, Attribute config, Attribute input,
                  Candidate &candidate) const override {
    if (!matchPoolKernel(facts.body()) || input) {
      return "the kernel is not a max pool of planar tensors";
    }
    candidate.operands.assign(facts.kernel.getInputs().size(), Attribute()); // planar
    candidate.config = config;
    return "";
  }

  LogicalResult lower(task::KernelOp function, Attribute config,
                      const Machine &machine) const override {
    return lowerPoolPixels(function, cast<PoolPixelsAttr>(config), machine.vectorBytes);
  }
};

} // namespace

const KernelTemplate &poolPixelsTemplate() {
  static const PoolPixelsTemplate kTemplate;
  return kTemplate;
}

} // namespace convoy::kernels
