// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The template `product` as the layout stage, the tuner and the kernels stage see it.

#include "Kernels/KernelTemplate.h"
#include "Kernels/Product/ProductPlan.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

class ProductTemplate : public KernelTemplate {
public:
  StringRef id() const override { return ProductAttr::getMnemonic(); }
  int version() const override { return kProductVersion; }
  bool usesBlocks() const override { return false; }

  std::string whyNot(const KernelFacts &facts, const Machine &machine) const override {
    ProductKernel product;
    std::string reason = matchProduct(facts.body(), product);
    if (reason.empty() && facts.conv && isConstantRight(facts)) {
      return "the second operand of the product is a constant matrix, which conv_direct packs at "
             "compile time";
    }
    return reason;
  }

  std::vector<Choice> choose(const KernelFacts &facts, const Machine &machine) const override {
    ProductKernel product;
    if (!whyNot(facts, machine).empty() || !matchProduct(facts.body(), product).empty()) {
      return {};
    }
    return choicesOf(chooseProduct(product, machine, facts.context()), Attribute());
  }

  std::vector<LayoutSpace> spaces(const KernelFacts &facts, const Machine &machine) const override {
    ProductKernel product;
    if (!whyNot(facts, machine).empty() || !matchProduct(facts.body(), product).empty()) {
      return {};
    }
    return {{productSpace(product, facts.body(), machine, facts.context()), Attribute()}};
  }

  std::string fit(const KernelFacts &facts, Attribute config, Attribute input,
                  Candidate &candidate) const override {
    ProductKernel product;
    std::string reason = matchProduct(facts.body(), product);
    if (reason.empty() && input) {
      reason = "the template expects its input as planar, got " + layoutText(input);
    }
    reason =
        reason.empty() ? whyNotProduct(product, facts.body(), cast<ProductAttr>(config)) : reason;
    if (reason.empty()) {
      candidate.operands.assign(facts.kernel.getInputs().size(), Attribute()); // planar
      candidate.config = config;
    }
    return reason;
  }

  LogicalResult lower(task::KernelOp function, Attribute config,
                      const Machine &machine) const override {
    return lowerProduct(function, cast<ProductAttr>(config), machine);
  }

private:
  static bool isConstantRight(const KernelFacts &facts) {
    return facts.kernel.getInputs()[facts.conv->weight].getDefiningOp<graph::ConstantOp>();
  }
};

} // namespace

const KernelTemplate &productTemplate() {
  static const ProductTemplate kTemplate;
  return kTemplate;
}

} // namespace convoy::kernels
