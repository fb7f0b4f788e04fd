// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The add_bytes template as the layout stage, the tuner and the kernels stage see it.

#include "Kernels/AddBytes/AddBytes.h"
#include "Kernels/ByteTemplate.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

/// Instructions per result, measured on a Cortex-M55 with gcc.
constexpr double kResultInstructions = 5;

class AddBytesTemplate : public ByteTemplate<AddBytesAttr, graph::IntegerAddOp> {
public:
  int version() const override { return kAddBytesVersion; }

protected:
  std::optional<graph::IntegerAddOp> match(Block &body, std::string &reason) const override {
    return matchAddBytes(body, reason);
  }

  Attribute inputLayout(const KernelFacts &facts, const graph::IntegerAddOp &add) const override {
    return pixelLayout(facts.context(), typeOf(add).getDimSize(1));
  }

  std::vector<Choice> chooseMatched(const KernelFacts &facts, const graph::IntegerAddOp &add,
                                    const Machine & /*machine*/) const override {
    return {{AddBytesAttr::get(facts.context(), /*rows=*/1), inputLayout(facts, add),
             kResultInstructions * static_cast<double>(typeOf(add).getNumElements())}};
  }

  LogicalResult lowerMatched(task::KernelOp function, const graph::IntegerAddOp &add,
                             AddBytesAttr /*config*/, const Machine & /*machine*/) const override {
    return lowerAddBytes(function, add);
  }

private:
  /// Returns the type of the result, which both operands have.
  static RankedTensorType typeOf(graph::IntegerAddOp add) {
    return cast<RankedTensorType>(add.getResult().getType());
  }
};

} // namespace

const KernelTemplate &addBytesTemplate() { return onlyObject<AddBytesTemplate>(); }

} // namespace convoy::kernels
