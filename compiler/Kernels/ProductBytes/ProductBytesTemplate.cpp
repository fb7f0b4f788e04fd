// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The template `product_bytes` as the layout stage, the tuner and the kernels stage see it.

#include "Kernels/MatchingTemplate.h"
#include "Kernels/ProductBytes/ProductBytes.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

class ProductBytesTemplate : public MatchingTemplate<ProductBytesAttr, BytesProduct> {
public:
  int version() const override { return kProductBytesVersion; }

protected:
  std::optional<BytesProduct> match(Block &body, std::string &reason) const override {
    return matchBytesProduct(body, reason);
  }

  /// Requires a constant right side.
  std::optional<BytesProduct> matchFacts(const KernelFacts &facts,
                                         std::string &reason) const override {
    std::optional<BytesProduct> product = match(facts.body(), reason);
    if (product && !facts.kernel.getInputs()[product->rhs].getDefiningOp<graph::ConstantOp>()) {
      reason = whyNotConstant(product->op);
      return std::nullopt;
    }
    return product;
  }

  std::string whyNotMatched(const KernelFacts & /*facts*/, const BytesProduct & /*product*/,
                            const Machine &machine) const override {
    return machine.dot == DotForm::None
               ? "the target has no instruction for dot products of integers"
               : "";
  }

  std::string whyNotConfig(const BytesProduct &product, Block & /*body*/,
                           ProductBytesAttr config) const override {
    return whyNotProductBytes(product, config);
  }

  std::optional<Space> spaceOf(const KernelFacts &facts, const BytesProduct &product,
                               const Machine &machine) const override {
    return productBytesSpace(product, machine, facts.context());
  }

  void setLayouts(const KernelFacts & /*facts*/, const BytesProduct &product,
                  ProductBytesAttr config, Candidate &candidate) const override {
    candidate.operands[product.rhs] = productBytesWeights(config);
  }

  LogicalResult lowerMatched(task::KernelOp function, const BytesProduct &product,
                             ProductBytesAttr config, const Machine &machine) const override {
    return lowerProductBytes(function, product, config, machine);
  }
};

} // namespace

const KernelTemplate &productBytesTemplate() { return onlyObject<ProductBytesTemplate>(); }

} // namespace convoy::kernels
