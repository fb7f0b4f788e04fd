// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The template `product_bytes` as the layout stage, the tuner and the kernels stage see it.

#include "Kernels/KernelTemplate.h"
#include "Kernels/ProductBytes/ProductBytes.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

/// Matches a product whose right side is constant. Sets `reason` if the kernel does not match.
std::optional<BytesProduct> matchConstant(const KernelFacts &facts, std::string &reason) {
  std::optional<BytesProduct> product = matchBytesProduct(facts.body(), reason);
  if (product && !facts.kernel.getInputs()[product->rhs].getDefiningOp<graph::ConstantOp>()) {
    reason = whyNotConstant(product->op);
    return std::nullopt;
  }
  return product;
}

class ProductBytesTemplate : public KernelTemplate {
public:
  StringRef id() const override { return ProductBytesAttr::getMnemonic(); }
  int version() const override { return kProductBytesVersion; }
  bool usesBlocks() const override { return false; }

  std::string whyNot(const KernelFacts &facts, const Machine &machine) const override {
    std::string reason;
    if (!matchConstant(facts, reason)) {
      return reason;
    }
    return machine.dot == DotForm::None
               ? "the target has no instruction for dot products of integers"
               : "";
  }

  std::vector<Choice> choose(const KernelFacts &facts, const Machine &machine) const override {
    std::vector<Choice> choices;
    for (const LayoutSpace &own : spaces(facts, machine)) {
      Choice best;
      own.space.forEach([&](const Settings &settings) {
        if (!own.space.whyNot(settings).empty()) {
          return;
        }
        double cycles = own.space.cycles(settings);
        if (!best.config || cycles < best.cycles) {
          best = {own.space.configure(settings), own.input, cycles};
        }
      });
      if (best.config) {
        choices.push_back(best);
      }
    }
    return choices;
  }

  std::vector<LayoutSpace> spaces(const KernelFacts &facts, const Machine &machine) const override {
    std::string reason;
    std::optional<BytesProduct> product = matchConstant(facts, reason);
    if (!product || machine.dot == DotForm::None) {
      return {};
    }
    return {{productBytesSpace(*product, machine, facts.context()), Attribute()}};
  }

  std::string fit(const KernelFacts &facts, Attribute config, Attribute input,
                  Candidate &candidate) const override {
    std::string reason;
    std::optional<BytesProduct> product = matchConstant(facts, reason);
    if (!product) {
      return reason;
    }
    if (input) {
      return "the template expects a planar input, got " + layoutText(input);
    }
    auto own = cast<ProductBytesAttr>(config);
    if (reason = whyNotProductBytes(*product, own); !reason.empty()) {
      return reason;
    }
    candidate.operands.assign(facts.kernel.getInputs().size(), Attribute()); // planar
    candidate.operands[product->rhs] = productBytesWeights(own);
    candidate.config = config;
    return "";
  }

  LogicalResult lower(task::KernelOp function, Attribute config,
                      const Machine &machine) const override {
    return lowerProductBytes(function, cast<ProductBytesAttr>(config), machine);
  }
};

} // namespace

const KernelTemplate &productBytesTemplate() {
  static const ProductBytesTemplate kTemplate;
  return kTemplate;
}

} // namespace convoy::kernels
