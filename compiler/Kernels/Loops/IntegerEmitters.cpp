// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits element-wise integer ops: requantization, sums, products and table lookups.
// Graph/RoundingShift.h has the same arithmetic on one number.

#include "Graph/TableNormalization.h"
#include "Kernels/Attributes.h"
#include "Kernels/Loops/Arithmetic.h"
#include "Kernels/Loops/KernelEmitter.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

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

  /// Returns x / 2^shift with ties rounded as `rounding` says; the shift is at least 1.
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

/// Adds the zero point and clamps, which all requantizing ops do after rounding.
template <typename OpT>
Value place(OpT op, Integers n, Value rounded) {
  Value placed = n.add(rounded, n.number(op.getZeroPoint()));
  return n.clamp(placed, op.getLow(), op.getHigh());
}

/// Truncates to the register type of the op's result.
template <typename OpT>
Value asResult(OpT op, KernelEmitter &k, Value clamped) {
  Lanes l = k.lanes();
  Type to = l.typeLike(clamped, k.registerType(op.getResult()));
  return clamped.getType() == to ? clamped : l.b.create<arith::TruncIOp>(to, clamped).getResult();
}

template <typename OpT>
Value finish(OpT op, KernelEmitter &k, Integers n, Value product, Value shift) {
  return asResult(op, k, place(op, n, n.roundingShift(product, shift, op.getRounding())));
}

/// The even and the odd lanes of an i32 vector, each in the lower half of an i64:
///
///     x3 x2 x1 x0    ->    x3:x2 x1:x0  and  x2:x3 x0:x1
struct Halves {
  Value even, odd;

  Halves(ImplicitLocOpBuilder &b, Value lanes) {
    auto narrow = cast<VectorType>(lanes.getType());
    auto wide = VectorType::get({narrow.getNumElements() / 2}, b.getI64Type());
    SmallVector<int64_t> swapped;
    for (int64_t i = 0; i < narrow.getNumElements(); ++i) {
      swapped.push_back(i ^ 1);
    }
    even = b.create<vector::BitCastOp>(wide, lanes);
    Value other = b.create<vector::ShuffleOp>(lanes, lanes, swapped);
    odd = b.create<vector::BitCastOp>(wide, other);
  }
};

/// Joins the lower or upper halves of both, in the lane order of Halves.
Value joinHalves(ImplicitLocOpBuilder &b, Value even, Value odd, VectorType type, bool isUpper) {
  SmallVector<int64_t> taken;
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    int64_t lower = i % 2 == 0 ? i : type.getNumElements() + i - 1;
    taken.push_back(lower + (isUpper ? 1 : 0));
  }
  return b.create<vector::ShuffleOp>(b.create<vector::BitCastOp>(type, even),
                                     b.create<vector::BitCastOp>(type, odd), taken);
}

/// Returns the 64-bit products of even or odd lanes. LLVM recognizes the left and right shifts by
/// 32 as vpmuldq.
Value wideProduct(Integers wide, Value x, Value y) {
  auto extended = [&](Value value) {
    return wide.shiftRight(wide.l.op<arith::ShLIOp>(value, wide.number(32)), wide.number(32));
  };
  return wide.mul(extended(x), extended(y));
}

/// Requantizes the upper halves of products. The rounding bias and the zero point have no bits in
/// the lower half.
Value requantizeUpper(graph::RequantizeOp op, KernelEmitter &k, Value upper, Value shift) {
  Lanes l = k.lanes();
  Integers narrow{l, k.b.getI32Type()};
  Value distance = narrow.sub(shift, narrow.number(32));
  Value half = l.op<arith::ShLIOp>(narrow.number(1), narrow.sub(shift, narrow.number(33)));
  Value zero = l.op<arith::ShLIOp>(narrow.number(op.getZeroPoint()), distance);
  Value rounded = narrow.shiftRight(narrow.add(upper, narrow.add(half, zero)), distance);
  return asResult(op, k, narrow.clamp(rounded, op.getLow(), op.getHigh()));
}

/// Returns the upper halves of i64 lanes. arith would fold a shift and a truncation to
/// arith.mulsi_extended, which Codegen/C does not print.
Value upperHalves(ImplicitLocOpBuilder &b, Value lanes) {
  int64_t count = cast<VectorType>(lanes.getType()).getNumElements();
  Value halves = b.create<vector::BitCastOp>(VectorType::get({2 * count}, b.getI32Type()), lanes);
  SmallVector<int64_t> taken;
  for (int64_t i = 0; i < count; ++i) {
    taken.push_back(2 * i + 1);
  }
  return b.create<vector::ShuffleOp>(halves, halves, taken);
}

/// Requantizes vectors of i32 with 64-bit products of all lanes, and computes in i32 what fits.
Value requantizeWidened(graph::RequantizeOp op, KernelEmitter &k, Value x, Value multiplier,
                        Value shift) {
  Lanes l = k.lanes();
  Integers wide{l, k.b.getI64Type()};
  Integers narrow{l, k.b.getI32Type()};
  auto widened = [&](Value value) {
    return convert(l, l.splat(value), ElementType::I32, ElementType::I64);
  };
  auto narrowed = [&](Value value) {
    return convert(l, value, ElementType::I64, ElementType::I32);
  };
  Value product = wide.mul(widened(x), widened(multiplier));
  if (op->hasAttr(kUpperAttr)) {
    return requantizeUpper(op, k, upperHalves(k.b, product), shift);
  }
  Value rounded = wide.roundingShift(product, widened(shift), op.getRounding());
  bool isNarrow = op->hasAttr(kNarrowAttr);
  return asResult(op, k,
                  isNarrow ? place(op, narrow, narrowed(rounded)) : place(op, wide, rounded));
}

/// Requantizes vectors of i32 with 64-bit products of even and odd lanes, so that no lane crosses
/// the register.
Value requantizePairs(graph::RequantizeOp op, KernelEmitter &k, Value x, Value multiplier,
                      Value shift) {
  Lanes l = k.lanes();
  Lanes pairs(k.b, k.width / 2);
  Integers wide{pairs, k.b.getI64Type()};
  Integers narrow{l, k.b.getI32Type()};
  auto type = cast<VectorType>(l.type(k.b.getI32Type()));
  Halves values(k.b, l.splat(x)), factors(k.b, l.splat(multiplier)), shifts(k.b, l.splat(shift));
  Value even = wideProduct(wide, values.even, factors.even);
  Value odd = wideProduct(wide, values.odd, factors.odd);
  if (op->hasAttr(kUpperAttr)) {
    return requantizeUpper(op, k, joinHalves(k.b, even, odd, type, /*isUpper=*/true), shift);
  }
  bool isNarrow = op->hasAttr(kNarrowAttr);
  auto half = [&](Value product, Value distance) {
    Value low = pairs.op<arith::AndIOp>(distance, wide.number(0xffffffff));
    Value rounded = wide.roundingShift(product, low, op.getRounding());
    return isNarrow ? rounded : place(op, wide, rounded);
  };
  Value joined = joinHalves(k.b, half(even, shifts.even), half(odd, shifts.odd), type,
                            /*isUpper=*/false);
  return asResult(op, k, isNarrow ? place(op, narrow, joined) : joined);
}

Value emitRequantize(graph::RequantizeOp op, KernelEmitter &k, const ElementQuery &q) {
  Lanes l = k.lanes();
  Integers wide{l, l.b.getI64Type()};
  bool isPerTensor = k.shape(op.getMultiplier()).empty() ||
                     cast<RankedTensorType>(op.getMultiplier().getType()).getRank() == 0;
  auto entryOf = [&](Value value) {
    return isPerTensor ? k.elementAt(value, l.constant(0), q.mask)
                       : k.element(value, {q.at[op.getAxis()]}, q.mask);
  };
  bool isWide = bitWidth(k.type(op.getInput())) == 64;
  if ((k.pairsProducts || k.widensProducts) && !isWide && l.width % 2 == 0) {
    Value x = centered(l, k.element(op.getInput(), q.at, q.mask), k.type(op.getInput()),
                       static_cast<int64_t>(op.getInputZeroPoint()));
    return (k.pairsProducts ? requantizePairs : requantizeWidened)(
        op, k, x, entryOf(op.getMultiplier()), entryOf(op.getShift()));
  }
  auto parameter = [&](Value value) {
    return convert(l, entryOf(value), ElementType::I32, ElementType::I64);
  };
  Value x =
      convert(l, k.element(op.getInput(), q.at, q.mask), k.type(op.getInput()), ElementType::I64);
  Value centered = wide.sub(x, wide.number(op.getInputZeroPoint()));
  Value product = wide.mul(centered, parameter(op.getMultiplier()));
  return finish(op, k, wide, product, parameter(op.getShift()));
}

/// Returns an operand minus its zero point.
Value centeredOperand(KernelEmitter &k, Value operand, int64_t zeroPoint, ElementType wide,
                      const ElementQuery &q) {
  Lanes l = k.lanes();
  Value x = convert(l, k.broadcast(operand, q.at, q.mask), k.type(operand), wide);
  Arithmetic a{l, wide};
  return a.sub(x, l.intOf(a.scalar(), zeroPoint));
}

/// Returns whether the weighted sum of an addition fits in i32 ([integer_add.2]).
bool fitsNarrow(graph::IntegerAddOp op, KernelEmitter &k) {
  constexpr int64_t kLimit = int64_t(1) << 21;
  auto isSmall = [](uint64_t value) { return std::abs(static_cast<int64_t>(value)) < kLimit; };
  // 2 * 255 * 2^21 leaves room for half of 2^30 and for the zero point.
  return bitWidth(k.type(op.getLhs())) == 8 && bitWidth(k.type(op.getRhs())) == 8 &&
         isSmall(op.getLhsMultiplier()) && isSmall(op.getRhsMultiplier()) && op.getShift() <= 30;
}

/// Returns whether the rounded sum plus the shifted zero point fits in i32.
bool fitsZeroPoint(graph::IntegerAddOp op) {
  auto factor = [](uint64_t value) { return std::abs(static_cast<int64_t>(value)); };
  int64_t sum = 255 * (factor(op.getLhsMultiplier()) + factor(op.getRhsMultiplier()));
  return op.getRounding() == ShiftRounding::HalfUp &&
         sum + ((factor(op.getZeroPoint()) + 1) << op.getShift()) < int64_t(1) << 31;
}

Value emitIntegerAdd(graph::IntegerAddOp op, KernelEmitter &k, const ElementQuery &q) {
  Lanes l = k.lanes();
  bool isNarrow = fitsNarrow(op, k);
  ElementType type = isNarrow ? ElementType::I32 : ElementType::I64;
  Integers n{l, registerType(type, l.b.getContext())};
  auto weighed = [&](Value operand, uint64_t multiplier) {
    Value x = convert(l, k.broadcast(operand, q.at, q.mask), k.type(operand), type);
    return n.mul(x, n.number(static_cast<int64_t>(multiplier)));
  };
  Value sum = n.add(weighed(op.getLhs(), op.getLhsMultiplier()),
                    weighed(op.getRhs(), op.getRhsMultiplier()));
  // The constant part of the zero points. It may wrap in an intermediate step, but not in the
  // result.
  auto fixed = -static_cast<int64_t>(op.getLhsZeroPoint() * op.getLhsMultiplier() +
                                     op.getRhsZeroPoint() * op.getRhsMultiplier());
  int64_t shift = op.getShift();
  if (isNarrow && fitsZeroPoint(op)) {
    fixed += (int64_t(1) << (shift - 1)) + static_cast<int64_t>(op.getZeroPoint() << shift);
    Value rounded =
        n.shiftRight(n.add(sum, n.number(static_cast<int32_t>(fixed))), n.number(shift));
    return asResult(op, k, n.clamp(rounded, op.getLow(), op.getHigh()));
  }
  fixed = isNarrow ? static_cast<int32_t>(fixed) : fixed;
  return finish(op, k, n, n.add(sum, n.number(fixed)), n.number(shift));
}

Value emitIntegerMul(graph::IntegerMulOp op, KernelEmitter &k, const ElementQuery &q) {
  Lanes l = k.lanes();
  Value lhs = centeredOperand(k, op.getLhs(), op.getLhsZeroPoint(), ElementType::I32, q);
  Value rhs = centeredOperand(k, op.getRhs(), op.getRhsZeroPoint(), ElementType::I32, q);
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

/// Returns the sum of squares over neighboring channels, in i64.
Value sumOfSquares(graph::IntegerLRNOp op, KernelEmitter &k, const ElementQuery &q) {
  ElementType type = k.type(op.getInput());
  int64_t size = op.getSize();
  int64_t channels = k.shape(op.getInput())[1];
  Lanes outer = k.lanes();
  Type wide = k.b.getI64Type();
  return k.loop(size, {outer.intOf(wide, 0)}, [&](Value i, ValueRange carried) {
    Lanes l = k.lanes();
    Integers n{l, wide};
    SmallVector<Index> at(q.at.begin(), q.at.end());
    at[1] = l.add(l.add(at[1], l.uniform(i)), -((size - 1) / 2));
    Value inside = l.inBounds(at[1], channels);
    Value x =
        convert(l, k.element(op.getInput(), at, l.both(q.mask, inside)), type, ElementType::I64);
    x = l.select(inside, n.sub(x, n.number(op.getInputZeroPoint())), n.number(0));
    return SmallVector<Value>{n.add(carried[0], n.mul(x, x))};
  })[0];
}

/// Interpolates linearly between two entries of a table, which are 2^shift apart.
Value lineBetween(KernelEmitter &k, Integers n, Value table, Value distance, int64_t shift,
                  Value mask) {
  int64_t last = cast<RankedTensorType>(table.getType()).getDimSize(0) - 1;
  Value inside = n.clamp(distance, 0, last << shift);
  Value i = n.l.op<arith::MinSIOp>(n.shiftRight(inside, n.number(shift)), n.number(last - 1));
  Value rest = n.sub(inside, n.l.op<arith::ShLIOp>(i, n.number(shift)));
  auto entry = [&](Value at) {
    return convert(n.l, k.element(table, {n.l.fromValue(at)}, mask), ElementType::I16,
                   ElementType::I64);
  };
  Value first = entry(i);
  Value rise = n.mul(n.sub(entry(n.add(i, n.number(1))), first), rest);
  rise = shift == 0 ? rise : n.roundingShift(rise, n.number(shift), ShiftRounding::HalfAway);
  return n.add(first, rise);
}

Value emitIntegerLRN(graph::IntegerLRNOp op, KernelEmitter &k, const ElementQuery &q) {
  Value sum = sumOfSquares(op, k, q);
  Lanes l = k.lanes();
  Integers n{l, k.b.getI64Type()};
  auto nearShift = static_cast<int64_t>(op.getNearShift());
  int64_t nearEnd = (cast<RankedTensorType>(op.getNear().getType()).getDimSize(0) - 1) << nearShift;
  Value near = lineBetween(k, n, op.getNear(), sum, nearShift, q.mask);
  Value far = lineBetween(k, n, op.getFar(), n.sub(sum, n.number(op.getFarStart())),
                          static_cast<int64_t>(op.getFarShift()), q.mask);
  Value isNear = l.compare(arith::CmpIPredicate::slt, sum, n.number(nearEnd));
  Value x =
      convert(l, k.element(op.getInput(), q.at, q.mask), k.type(op.getInput()), ElementType::I64);
  x = n.sub(x, n.number(op.getInputZeroPoint()));
  Value result = n.add(n.mul(x, l.select(isNear, near, far)), n.number(op.getBias()));
  return l.b.create<arith::TruncIOp>(l.typeLike(result, l.b.getI32Type()), result);
}

} // namespace

void addIntegerEmitters(EmitterTable &table) {
  table.addElement<graph::RequantizeOp, emitRequantize>();
  table.addElement<graph::IntegerAddOp, emitIntegerAdd>();
  table.addElement<graph::IntegerMulOp, emitIntegerMul>();
  table.addElement<graph::LookupOp, emitLookup>();
  table.addElement<graph::IntegerLRNOp, emitIntegerLRN>();
}

} // namespace convoy::kernels
