// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matches kernels of add_bytes and emits the loop over rows that AddBytes.td documents.

#include "Kernels/AddBytes/AddBytes.h"
#include "Kernels/Core/LoopNest.h"
#include "Kernels/KernelFunction.h"
#include "Task/Task.h"

using namespace mlir;

namespace convoy::kernels {

/// Returns the reason why the byte op cannot compute an addition, or an empty string.
static std::string whyNotByteAdd(graph::IntegerAddOp add) {
  // [integer_add.2]: the sums of smaller multipliers, half of 2^30 and the zero point fit in 31
  // bits.
  constexpr int64_t kLimit = int64_t(1) << 21;
  constexpr int64_t kMostShift = 30;
  auto isSmall = [](uint64_t value) { return std::abs(static_cast<int64_t>(value)) < kLimit; };
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
  bool fits = isSmall(add.getLhsMultiplier()) && isSmall(add.getRhsMultiplier()) &&
              static_cast<int64_t>(add.getShift()) <= kMostShift;
  return fits ? "" : "the sums of the addition can exceed 31 bits";
}

/// Emits the addition of `count` bytes.
static void emitByteAdd(ImplicitLocOpBuilder &b, graph::IntegerAddOp add, Value lhs, Value rhs,
                        Value result, int64_t count) {
  auto number = [](uint64_t value) { return static_cast<int64_t>(value); };
  int64_t start = -(number(add.getLhsZeroPoint()) * number(add.getLhsMultiplier()) +
                    number(add.getRhsZeroPoint()) * number(add.getRhsMultiplier()));
  Value zero = b.create<arith::ConstantIndexOp>(0);
  b.create<ByteAddOp>(lhs, zero, rhs, zero, result, zero, b.create<arith::ConstantIndexOp>(count),
                      number(add.getLhsMultiplier()), number(add.getRhsMultiplier()), start,
                      number(add.getShift()), number(add.getZeroPoint()), number(add.getLow()),
                      number(add.getHigh()), static_cast<int64_t>(add.getRounding()));
}

std::optional<graph::IntegerAddOp> matchAddBytes(Block &body, std::string &reason) {
  auto add = dyn_cast<graph::IntegerAddOp>(body.front());
  bool isAlone = add && add->getNextNode() == body.getTerminator();
  if (!isAlone) {
    reason = "the kernel is not a single addition of quantised tensors";
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

LogicalResult lowerAddBytes(task::KernelOp kernel, graph::IntegerAddOp add) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(add.getResult().getType()).getShape();
  int64_t rows = shape[2];
  KernelFunction function(kernel);
  ImplicitLocOpBuilder &b = function.b;
  LoopNest(b).loop(function.begin(), function.end(), [&](Value row) {
    auto view = [&](Value memory) -> Value { return b.create<task::RowViewOp>(memory, row, rows); };
    auto operand = [&](Value value) {
      return view(function.operand(cast<BlockArgument>(value).getArgNumber()));
    };
    emitByteAdd(b, add, operand(add.getLhs()), operand(add.getRhs()), view(function.result(0)),
                shape[1] * shape[3]);
  });
  function.allowInPlace(add.getLhs() == add.getRhs() ? ArrayRef<unsigned>{0}
                                                     : ArrayRef<unsigned>{0, 1});
  function.setRows(1, task::evenChunks(rows, 1));
  function.finish(rows);
  return success();
}

} // namespace convoy::kernels
