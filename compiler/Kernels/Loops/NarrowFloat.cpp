// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts f32 to the bits of narrow floats and back, in integer arithmetic. Support/SmallFloat.cpp
// converts the same formats in plain C++; tests compare with it.

#include "Kernels/Loops/Registers.h"
#include "Support/FloatFormat.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

/// Integer expressions on i32 lanes, which keep the formulas below readable.
struct Bits {
  Lanes &lanes;
  Type i32 = lanes.b.getI32Type();
  Type f32 = lanes.b.getF32Type();

  Value c(int64_t value) { return lanes.intOf(i32, value); }
  Value add(Value x, Value y) { return lanes.op<arith::AddIOp>(x, y); }
  Value sub(Value x, Value y) { return lanes.op<arith::SubIOp>(x, y); }
  Value andI(Value x, int64_t y) { return lanes.op<arith::AndIOp>(x, c(y)); }
  Value orI(Value x, Value y) { return lanes.op<arith::OrIOp>(x, y); }
  Value shl(Value x, int y) { return lanes.op<arith::ShLIOp>(x, c(y)); }
  Value shr(Value x, int y) { return lanes.op<arith::ShRUIOp>(x, c(y)); }
  Value eq(Value x, int64_t y) { return lanes.compare(arith::CmpIPredicate::eq, x, c(y)); }
  Value ugt(Value x, int64_t y) { return lanes.compare(arith::CmpIPredicate::ugt, x, c(y)); }
  Value slt(Value x, int64_t y) { return lanes.compare(arith::CmpIPredicate::slt, x, c(y)); }
  Value asFloat(Value x) { return lanes.b.create<arith::BitcastOp>(lanes.typeLike(x, f32), x); }
  Value asBits(Value x) { return lanes.b.create<arith::BitcastOp>(lanes.typeLike(x, i32), x); }
  Value toFloat(Value x) { return lanes.b.create<arith::SIToFPOp>(lanes.typeLike(x, f32), x); }
};

/// Rounds to the bits above `shift`, ties to even, and shifts.
Value roundShift(Bits &e, Value bits, int shift) {
  Value isOdd = e.andI(e.shr(bits, shift), 1);
  Value half = e.add(e.c((1 << (shift - 1)) - 1), isOdd);
  return e.shr(e.add(bits, half), shift);
}

Value narrowBFloat(Bits &e, Value bits) {
  Value isNan = e.ugt(e.andI(bits, 0x7fffffff), 0x7f800000);
  Value quiet = e.orI(e.shr(bits, 16), e.c(0x40));
  return e.lanes.select(isNan, quiet, roundShift(e, bits, 16));
}

/// Returns the exponent of |value|, rounded to a power of two by the rounding mode.
Value narrowPower(Bits &e, Value bits, bool saturate, int roundMode) {
  Lanes &lanes = e.lanes;
  Value magnitude = e.andI(bits, 0x7fffffff);
  Value mantissa = e.andI(magnitude, 0x7fffff);
  Value exponent = e.shr(magnitude, 23);
  // Subnormal f32 values are below 2^-126: exponent 0 represents 2^-127.
  Value goesUp;
  if (roundMode == 0) {
    Value isSubnormal = e.eq(exponent, 0);
    Value aboveHalf = e.ugt(mantissa, 0x400000);
    goesUp = lanes.select(isSubnormal, aboveHalf, e.ugt(mantissa, 0));
  } else if (roundMode == 2) {
    goesUp = e.ugt(mantissa, 0x3fffff);
  }
  Value result = exponent;
  if (goesUp) {
    result = lanes.select(goesUp, e.add(exponent, e.c(1)), exponent);
  }
  Value isNan = e.ugt(magnitude, 0x7f800000);
  Value isOver = e.ugt(result, 254);
  result = lanes.select(isOver, e.c(saturate ? 254 : 255), result);
  return lanes.select(isNan, e.c(255), result);
}

/// Returns a magnitude below the smallest normal number as a count of units.
Value subnormalUnits(Bits &e, Value magnitude, const FloatFormat &f) {
  Lanes &lanes = e.lanes;
  Value scale = lanes.constantOf(e.f32, std::ldexp(1.0, f.mantissaBits + f.bias - 1));
  Value units = lanes.op<arith::MulFOp>(e.asFloat(magnitude), scale);
  // Large magnitudes are not subnormal; clamp them so that the conversion stays in range.
  units = lanes.op<arith::MinimumFOp>(units, lanes.constantOf(e.f32, 1024));
  units = lanes.b.create<math::RoundEvenOp>(units);
  return lanes.b.create<arith::FPToSIOp>(lanes.typeLike(units, e.i32), units);
}

} // namespace

Value narrowToBits(Lanes &lanes, Value value, ElementType type, bool saturate, int roundMode) {
  Bits e{lanes};
  Value bits = e.asBits(value);
  if (type == ElementType::BF16) {
    return narrowBFloat(e, bits);
  }
  if (type == ElementType::F8E8M0) {
    return narrowPower(e, bits, saturate, roundMode);
  }
  FloatFormat f = formatOf(type);
  Value magnitude = e.andI(bits, 0x7fffffff);
  Value isNan = e.ugt(magnitude, 0x7f800000);
  // NaN would overflow the comparison below; it is restored at the end.
  Value finite = lanes.select(isNan, e.c(0), magnitude);
  Value normal =
      e.sub(roundShift(e, finite, 23 - f.mantissaBits), e.c((127 - f.bias) << f.mantissaBits));
  Value isSubnormal = e.slt(normal, 1 << f.mantissaBits);
  Value result = lanes.select(isSubnormal, subnormalUnits(e, finite, f), normal);
  Value isOver = lanes.compare(arith::CmpIPredicate::sgt, result, e.c(f.largest()));
  result = lanes.select(isOver, e.c(f.overflow(saturate)), result);
  result = lanes.select(isNan, e.c(f.nan() & (f.signBit() - 1)), result);
  Value sign = e.andI(e.shr(bits, 31 - f.signShift()), f.signBit());
  if (f.specials != Specials::NanNegZero) {
    return e.orI(result, sign);
  }
  // Zero has no sign, and NaN has the encoding of negative zero.
  Value signed_ = lanes.select(e.eq(result, 0), e.c(0), e.orI(result, sign));
  Value isNotANumber = isNan;
  if (!saturate) {
    Value overflows =
        lanes.compare(arith::CmpIPredicate::eq, e.andI(result, f.nan()), e.c(f.nan()));
    isNotANumber = lanes.op<arith::OrIOp>(isNan, overflows);
  }
  return lanes.select(isNotANumber, e.c(f.nan()), signed_);
}

Value widenFromBits(Lanes &lanes, Value bits, ElementType type) {
  Bits e{lanes};
  if (type == ElementType::BF16) {
    return e.asFloat(e.shl(bits, 16));
  }
  Value quietNan = e.c(0x7fc00000);
  if (type == ElementType::F8E8M0) {
    Value shifted = e.shl(bits, 23);
    Value tiny = lanes.select(e.eq(bits, 0), e.c(0x00400000), shifted);
    return e.asFloat(lanes.select(e.eq(bits, 255), quietNan, tiny));
  }
  FloatFormat f = formatOf(type);
  Value magnitude = e.andI(bits, f.signBit() - 1);
  Value mantissa = e.andI(bits, (1 << f.mantissaBits) - 1);
  Value isSubnormal = e.slt(magnitude, 1 << f.mantissaBits);
  Value normal = e.add(e.shl(magnitude, 23 - f.mantissaBits), e.c((127 - f.bias) << 23));
  Value scale = lanes.constantOf(e.f32, std::ldexp(1.0, 1 - f.bias - f.mantissaBits));
  Value small = lanes.op<arith::MulFOp>(e.toFloat(mantissa), scale);
  Value result = lanes.select(isSubnormal, e.asBits(small), normal);
  if (f.specials == Specials::Ieee) {
    Value isTop = lanes.compare(arith::CmpIPredicate::uge, magnitude, e.c(f.topExponent()));
    Value special = lanes.select(e.eq(mantissa, 0), e.c(0x7f800000), quietNan);
    result = lanes.select(isTop, special, result);
  } else if (f.specials == Specials::NanAllOnes) {
    result = lanes.select(e.eq(magnitude, f.nan()), quietNan, result);
  }
  Value sign = e.shl(e.andI(bits, f.signBit()), 31 - f.signShift());
  result = e.orI(result, sign);
  if (f.specials == Specials::NanNegZero) {
    result = lanes.select(e.eq(bits, f.nan()), quietNan, result);
  }
  return e.asFloat(result);
}

} // namespace convoy::kernels
