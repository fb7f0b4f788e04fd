// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer ops that compute element by element: rescaling, sums, products, tables.
// Graph/RoundingShift.h has the same arithmetic on one number.

#include "Kernels/Loops/Arithmetic.h"
#include "Kernels/Loops/KernelEmitter.h"

using namespace mlir;
using convoy::graph::ShiftRounding;

namespace convoy::kernels {
namespace {

/// Integers of one width in registers.
struct Integers {
  Lanes &l;
  Type type;

  Value number(int64_t value) { return l.intOf(type, value); }
  Value add(Value x, Value y) { return l.op<arith::AddIOp>(x, y); }
  Value sub(Value x, Value y) { return l.op<arith::SubIOp>(x, y); }
  Value mul(Value x, Value y) { return l.op<arith::MulIOp>(x, y); }
  Value shiftRight(Value x, Value y) { return l.op<arith::ShRSIOp>(x, y); }

  /// x / 2^shift, halves as `rounding` says; the shift is 1 or more.
  Value roundingShift(Value x, Value shift, ShiftRounding rounding) {
    Value half = l.op<arith::ShLIOp>(number(1), sub(shift, number(1)));
    Value bias = half;
    if (rounding == ShiftRounding::HalfAway) {
      int64_t signBit = type.getIntOrFloatBitWidth() - 1;
      bias = add(half, shiftRight(x, number(signBit))); // one less for negative x
    } else if (rounding == ShiftRounding::HalfEven) {
      Value isOdd = l.op<arith::AndIOp>(shiftRight(x, shift), number(1));
      bias = add(sub(half, number(1)), isOdd);
    }
    return shiftRight(add(x, bias), shift);
  }
  Value clamp(Value x, int64_t low, int64_t high) {
    return l.op<arith::MinSIOp>(l.op<arith::MaxSIOp>(x, number(low)), number(high));
  }
};

/// From the product on, all rescalings are one.
template <typename OpT>
Value finish(OpT op, KernelEmitter &k, Integers n, Value product, Value shift) {
  Value rounded = n.roundingShift(product, shift, op.getRounding());
  Value placed = n.add(rounded, n.number(op.getZeroPoint()));
  Value clamped = n.clamp(placed, op.getLow(), op.getHigh());
  Type to = k.registerType(op.getResult());
  return clamped.getType() == n.l.typeLike(clamped, to)
             ? clamped
             : n.l.b.create<arith::TruncIOp>(n.l.typeLike(clamped, to), clamped).getResult();
}

Value emitRequantize(graph::RequantizeOp op, KernelEmitter &k, const ElementQuery &q) {
  Lanes l = k.lanes();
  Integers wide{l, l.b.getI64Type()};
  bool isPerTensor = k.shape(op.getMultiplier()).empty() ||
                     cast<RankedTensorType>(op.getMultiplier().getType()).getRank() == 0;
  auto parameter = [&](Value value) {
    Value entry = isPerTensor ? k.elementAt(value, l.constant(0), q.mask)
                              : k.element(value, {q.at[op.getAxis()]}, q.mask);
    return convert(l, entry, ElementType::I32, ElementType::I64);
  };
  Value x =
      convert(l, k.element(op.getInput(), q.at, q.mask), k.type(op.getInput()), ElementType::I64);
  Value centred = wide.sub(x, wide.number(op.getInputZeroPoint()));
  Value product = wide.mul(centred, parameter(op.getMultiplier()));
  return finish(op, k, wide, product, parameter(op.getShift()));
}

/// An operand less its zero point.
Value centredOperand(KernelEmitter &k, Value operand, int64_t zeroPoint, ElementType wide,
                     const ElementQuery &q) {
  Lanes l = k.lanes();
  Value x = convert(l, k.broadcast(operand, q.at, q.mask), k.type(operand), wide);
  Arithmetic a{l, wide};
  return a.sub(x, l.intOf(a.scalar(), zeroPoint));
}

/// Whether the weighted sum of an addition fits i32 ([integer_add.2]).
bool fitsNarrow(graph::IntegerAddOp op, KernelEmitter &k) {
  constexpr int64_t kLimit = int64_t(1) << 21;
  auto isSmall = [](uint64_t value) { return std::abs(static_cast<int64_t>(value)) < kLimit; };
  // 2 * 255 * 2^21 leaves room for half of 2^30 and for the zero point.
  return bitWidth(k.type(op.getLhs())) == 8 && bitWidth(k.type(op.getRhs())) == 8 &&
         isSmall(op.getLhsMultiplier()) && isSmall(op.getRhsMultiplier()) && op.getShift() <= 30;
}

Value emitIntegerAdd(graph::IntegerAddOp op, KernelEmitter &k, const ElementQuery &q) {
  Lanes l = k.lanes();
  ElementType type = fitsNarrow(op, k) ? ElementType::I32 : ElementType::I64;
  Integers n{l, registerType(type, l.b.getContext())};
  Value lhs = n.mul(centredOperand(k, op.getLhs(), op.getLhsZeroPoint(), type, q),
                    n.number(op.getLhsMultiplier()));
  Value rhs = n.mul(centredOperand(k, op.getRhs(), op.getRhsZeroPoint(), type, q),
                    n.number(op.getRhsMultiplier()));
  return finish(op, k, n, n.add(lhs, rhs), n.number(op.getShift()));
}

Value emitIntegerMul(graph::IntegerMulOp op, KernelEmitter &k, const ElementQuery &q) {
  Lanes l = k.lanes();
  Value lhs = centredOperand(k, op.getLhs(), op.getLhsZeroPoint(), ElementType::I32, q);
  Value rhs = centredOperand(k, op.getRhs(), op.getRhsZeroPoint(), ElementType::I32, q);
  return l.op<arith::MulIOp>(lhs, rhs);
}

Value emitLookup(graph::LookupOp op, KernelEmitter &k, const ElementQuery &q) {
  Lanes l = k.lanes();
  ElementType type = k.type(op.getInput());
  Value x = convert(l, k.element(op.getInput(), q.at, q.mask), type, ElementType::I64);
  if (isSignedInteger(type)) {
    x = l.op<arith::AddIOp>(x, l.intOf(l.b.getI64Type(), 128));
  }
  return k.element(op.getTable(), {l.fromValue(x)}, q.mask);
}

} // namespace

void addIntegerEmitters(EmitterTable &table) {
  table.addElement<graph::RequantizeOp, emitRequantize>();
  table.addElement<graph::IntegerAddOp, emitIntegerAdd>();
  table.addElement<graph::IntegerMulOp, emitIntegerMul>();
  table.addElement<graph::LookupOp, emitLookup>();
}

} // namespace convoy::kernels
