// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The template `product` as the layout stage, the tuner and the kernels stage see it.

#include "Kernels/MatchingTemplate.h"
#include "Kernels/Product/ProductPlan.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

class ProductTemplate : public MatchingTemplate<ProductAttr, ProductKernel> {
public:
  int version() const override { return kProductVersion; }

protected:
  std::optional<ProductKernel> match(Block &body, std::string &reason) const override {
    ProductKernel product;
    reason = matchProduct(body, product);
    return reason.empty() ? std::optional(product) : std::nullopt;
  }

  std::string whyNotMatched(const KernelFacts &facts, const ProductKernel & /*product*/,
                            const Machine & /*machine*/) const override {
    bool isConstantRight =
        facts.conv &&
        facts.kernel.getInputs()[facts.conv->weight].getDefiningOp<graph::ConstantOp>();
    return isConstantRight ? "the second operand of the product is a constant matrix, which "
                             "conv_direct packs at compile time"
                           : "";
  }

  std::string whyNotConfig(const ProductKernel &product, Block &body,
                           ProductAttr config) const override {
    return whyNotProduct(product, body, config);
  }

  std::vector<Choice> chooseMatched(const KernelFacts &facts, const ProductKernel &product,
                                    const Machine &machine) const override {
    return choicesOf(chooseProduct(product, machine, facts.context()), Attribute());
  }

  std::optional<Space> spaceOf(const KernelFacts &facts, const ProductKernel &product,
                               const Machine &machine) const override {
    return productSpace(product, facts.body(), machine, facts.context());
  }

  LogicalResult lowerMatched(task::KernelOp function, const ProductKernel &product,
                             ProductAttr config, const Machine &machine) const override {
    return lowerProduct(function, product, config, machine);
  }
};

} // namespace

const KernelTemplate &productTemplate() { return onlyObject<ProductTemplate>(); }

} // namespace convoy::kernels
