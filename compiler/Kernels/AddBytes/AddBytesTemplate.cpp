// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The add_bytes template: matches kernels and emits the loop over rows that AddBytes.td documents.

#include "Kernels/ByteTemplate.h"
#include "Kernels/Core/LoopNest.h"
#include "Kernels/Kernel.h"
#include "Kernels/KernelFunction.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

/// Instructions per result, measured on a Cortex-M55 with gcc.
constexpr double kResultInstructions = 5;

/// Returns the reason why the byte op cannot compute an addition, or an empty string.
std::string whyNotByteAdd(graph::IntegerAddOp add) {
  auto isByte = [](Value value) {
    return fromMlir(cast<RankedTensorType>(value.getType()).getElementType()) == ElementType::I8;
  };
  if (!isByte(add.getLhs()) || !isByte(add.getRhs()) || !isByte(add.getResult())) {
    return "the addition has operands or a result that are not i8";
  }
  bool isOfOneShape = cast<RankedTensorType>(add.getLhs().getType()).getShape() ==
                      cast<RankedTensorType>(add.getRhs().getType()).getShape();
  if (!isOfOneShape) {
    return "the addition broadcasts an operand";
  }
  return fitsByteAdd(add) ? "" : "the sums of the addition can exceed 31 bits";
}

class AddBytesTemplate : public ByteTemplate<AddBytesAttr, graph::IntegerAddOp> {
public:
  int version() const override { return 1; }

protected:
  /// Takes a kernel whose only op is the addition.
  std::optional<graph::IntegerAddOp> match(Block &body, std::string &reason) const override {
    auto add = dyn_cast<graph::IntegerAddOp>(body.front());
    bool isAlone = add && add->getNextNode() == body.getTerminator();
    if (!isAlone) {
      reason = "the kernel is not a single addition of quantized tensors";
      return std::nullopt;
    }
    auto type = cast<RankedTensorType>(add.getResult().getType());
    if (type.getRank() != 4 || type.getDimSize(0) != 1) {
      reason = "the template expects one image with two spatial dimensions";
      return std::nullopt;
    }
    reason = whyNotByteAdd(add);
    return reason.empty() ? std::optional(add) : std::nullopt;
  }

  Attribute inputLayout(const KernelFacts &facts, const graph::IntegerAddOp &add) const override {
    return pixelLayout(facts.context(), typeOf(add).getDimSize(1));
  }

  std::vector<ConfigChoice> chooseMatched(const KernelFacts &facts, const graph::IntegerAddOp &add,
                                          const Machine & /*machine*/) const override {
    return {{AddBytesAttr::get(facts.context(), /*rows=*/1), inputLayout(facts, add),
             kResultInstructions * static_cast<double>(typeOf(add).getNumElements())}};
  }

  LogicalResult lowerMatched(task::KernelOp kernel, const graph::IntegerAddOp &matched,
                             AddBytesAttr /*config*/, const Machine & /*machine*/) const override {
    graph::IntegerAddOp add = matched;
    ArrayRef<int64_t> shape = typeOf(add).getShape();
    int64_t rows = shape[2];
    KernelFunction function(kernel);
    ImplicitLocOpBuilder &b = function.b;
    LoopNest(b).loop(function.begin(), function.end(), [&](Value row) {
      auto view = [&](Value memory) -> Value {
        return b.create<task::RowViewOp>(memory, row, rows);
      };
      emitByteAdd(b, add, view(function.operand(add.getLhs())),
                  view(function.operand(add.getRhs())), view(function.result(0)),
                  shape[1] * shape[3]);
    });
    function.allowInPlace(add.getLhs() == add.getRhs() ? ArrayRef<unsigned>{0}
                                                       : ArrayRef<unsigned>{0, 1});
    function.finishRows(rows);
    return success();
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
