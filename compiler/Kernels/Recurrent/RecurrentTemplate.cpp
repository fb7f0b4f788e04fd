// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The template `recurrent` as the layout stage, the tuner and the kernels stage see it.

#include "Kernels/KernelTemplate.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

class RecurrentTemplate : public KernelTemplate {
public:
  StringRef id() const override { return RecurrentAttr::getMnemonic(); }
  int version() const override { return 1; }
  bool usesBlocks() const override { return false; }
  std::string whyNot(const KernelFacts &facts, const Machine &machine) const override {
    return "TODO";
  }
  std::vector<Choice> choose(const KernelFacts &facts, const Machine &machine) const override {
    return {};
  }
  std::string fit(const KernelFacts &facts, Attribute config, Attribute input,
                  Candidate &candidate) const override {
    return "TODO";
  }
  LogicalResult lower(func::FuncOp function, Attribute config,
                      const Machine &machine) const override {
    return failure();
  }
};

} // namespace

const KernelTemplate &recurrentTemplate() {
  static const RecurrentTemplate kTemplate;
  return kTemplate;
}

} // namespace convoy::kernels
