// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The add_bytes template as the layout stage, the tuner and the kernels stage see it.

#include "Kernels/AddBytes/AddBytes.h"
#include "Kernels/ByteTemplate.h"
#include "Kernels/ConvBytes/ConvBytes.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

/// Instructions per result, measured on a Cortex-M55 with gcc.
constexpr double kResultInstructions = 5;

class AddBytesTemplate : public ByteTemplate<RankedTensorType> {
public:
  StringRef id() const override { return AddBytesAttr::getMnemonic(); }
  int version() const override { return kAddBytesVersion; }

  LogicalResult lower(task::KernelOp function, Attribute config,
                      const Machine & /*machine*/) const override {
    return lowerAddBytes(function, cast<AddBytesAttr>(config));
  }

protected:
  /// Returns the type of the result, which both operands have.
  std::optional<RankedTensorType> match(const KernelFacts &facts,
                                        std::string &reason) const override {
    graph::IntegerAddOp add = matchAddBytes(facts.body(), reason);
    return add ? std::optional(cast<RankedTensorType>(add.getResult().getType())) : std::nullopt;
  }

  Choice chooseBytes(const KernelFacts &facts, const RankedTensorType &type) const override {
    return {AddBytesAttr::get(facts.context(), /*rows=*/1),
            pixelLayout(facts.context(), type.getDimSize(1)),
            kResultInstructions * static_cast<double>(type.getNumElements())};
  }
};

} // namespace

const KernelTemplate &addBytesTemplate() {
  static const AddBytesTemplate kTemplate;
  return kTemplate;
}

} // namespace convoy::kernels
