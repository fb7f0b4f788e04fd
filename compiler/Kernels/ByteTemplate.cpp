// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the constants of kernels for byte ops, and emits the ops that templates share.

#include "Kernels/ByteTemplate.h"
#include "Graph/Constant.h"
#include "Kernels/Kernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace convoy::kernels {

std::optional<Tensor> constantOf(const KernelFacts &facts, Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return graph::constantValue(argument ? facts.kernel.getInputs()[argument.getArgNumber()] : value);
}

std::string whyNotShifts(const Tensor &shifts) {
  for (int64_t i = 0; i < shifts.size(); ++i) {
    if (shifts.asInt(i) < kLeastByteShift) {
      return "the kernel shifts by " + std::to_string(shifts.asInt(i)) +
             ", the template expects at least " + std::to_string(kLeastByteShift);
    }
  }
  return "";
}

Attribute pixelLayout(MLIRContext *context, int64_t channels) {
  // One channel is planar.
  return channels == 1 ? Attribute() : graph::BlockedAttr::get(context, channels);
}

bool fitsByteAdd(graph::IntegerAddOp add) {
  // The sums of smaller multipliers, half of 2^30 and the zero point fit in 31 bits.
  constexpr int64_t kLimit = int64_t(1) << 21;
  constexpr int64_t kMostShift = 30;
  auto isSmall = [](uint64_t value) { return std::abs(static_cast<int64_t>(value)) < kLimit; };
  return isSmall(add.getLhsMultiplier()) && isSmall(add.getRhsMultiplier()) &&
         static_cast<int64_t>(add.getShift()) <= kMostShift;
}

bool isTable(Value value) {
  return isa<BlockArgument>(value) || value.getDefiningOp<graph::ConstantOp>();
}

Value emitEqualEntries(ImplicitLocOpBuilder &b, int64_t count, int64_t entry) {
  Value table = b.create<memref::AllocaOp>(MemRefType::get({count}, b.getI32Type()));
  Value stored = b.create<arith::ConstantIntOp>(entry, 32);
  for (int64_t i = 0; i < count; ++i) {
    b.create<memref::StoreOp>(stored, table, ValueRange{b.create<arith::ConstantIndexOp>(i)});
  }
  return table;
}

Value emitTable(KernelFunction &function, Value value, int64_t count, int64_t minuend) {
  if (isa<BlockArgument>(value)) {
    return function.operand(value);
  }
  int64_t entry = graph::constantValue(value)->asInt(0);
  return emitEqualEntries(function.b, count, minuend == 0 ? entry : minuend - entry);
}

int64_t zeroStepOf(const ConvKernel &conv, int64_t groupChannels) {
  if (conv.weightZeroPoints()) {
    return groupChannels;
  }
  return conv.integers->weightZeroPoint != 0 ? 0 : -1;
}

Value emitZeroPoints(KernelFunction &function, const ConvKernel &conv, int64_t count, bool isRead) {
  if (Value own = conv.weightZeroPoints()) {
    return function.operand(own);
  }
  return isRead ? emitEqualEntries(function.b, count, conv.integers->weightZeroPoint)
                : function.operand(conv.bias());
}

void emitByteAdd(ImplicitLocOpBuilder &b, graph::IntegerAddOp add, Value lhs, Value rhs,
                 Value result, int64_t count, bool isSwapped) {
  auto number = [](uint64_t value) { return static_cast<int64_t>(value); };
  int64_t start = -(number(add.getLhsZeroPoint()) * number(add.getLhsMultiplier()) +
                    number(add.getRhsZeroPoint()) * number(add.getRhsMultiplier()));
  int64_t left = number(add.getLhsMultiplier()), right = number(add.getRhsMultiplier());
  Value zero = b.create<arith::ConstantIndexOp>(0);
  b.create<ByteAddOp>(lhs, zero, rhs, zero, result, zero, b.create<arith::ConstantIndexOp>(count),
                      isSwapped ? right : left, isSwapped ? left : right, start,
                      number(add.getShift()), number(add.getZeroPoint()), number(add.getLow()),
                      number(add.getHigh()), static_cast<int64_t>(add.getRounding()));
}

} // namespace convoy::kernels
