// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// exp, exp2 and expm1. All write x = n ln 2 + r with integer n and |r| <= ln 2 / 2, approximate
// exp(r) - 1 = r + r^2 P(r), and multiply by 2^n through the exponent bits. ln 2 is split so that n
// times its first part is exact; an accurate r then needs no fused multiply-add.

#include "Kernels/Math/Functions.h"

namespace convoy::kernels::math {

#include "Kernels/Math/Coefficients.inc"

namespace {

/// Outside these limits the result is infinity or zero in every rounding mode, and the exponent
/// arithmetic does not overflow inside them. They follow from ln(2^(128 + 1)) = 89.4 and ln(2^-150)
/// = -103.97 for f32, and likewise for f64, plus one for `shift`.
struct Limits {
  double low;
  double high;
};
Limits limitsOf(Real x) { return isDouble(x) ? Limits{-747, 711} : Limits{-106, 90}; }

struct Reduced {
  Real r;
  Bits n;
};

Reduced reduce(Real x) {
  llvm::ArrayRef<double> ln2 = isDouble(x) ? llvm::ArrayRef(kLn2F64) : llvm::ArrayRef(kLn2F32);
  Rounded n = roundToInteger(x * kReciprocals[0]);
  Real r = fma(n.real, -ln2[1], fma(n.real, -ln2[0], x));
  return {r, n.integer};
}

/// Returns exp(r) - 1 - r.
Real tail(Real r) {
  llvm::ArrayRef<double> p = isDouble(r) ? llvm::ArrayRef(kExpF64) : llvm::ArrayRef(kExpF32);
  return r * r * polynomial(r, p);
}

/// Returns exp(r). Keeping the rounding error of 1 + r takes two operations, saves a quarter of an
/// ulp and keeps the error below one ulp.
Real expOfReduced(Real r) {
  Pair sum = quickTwoSum(r.like(1.0), r);
  return sum.hi + (sum.lo + tail(r));
}

Real clamp(Real x) {
  Limits limits = limitsOf(x);
  return atLeast(atMost(x, limits.high), limits.low);
}

/// The unevaluated product mantissa * scale; scale is a power of two.
struct Scaled {
  Real mantissa;
  Real scale;
};

/// Returns exp(x) or exp(-x). The power of two must be a normal number. The negated form reduces x
/// and negates the odd powers and the exponent, which takes no operation.
Scaled scaledExp(Real x, bool isNegated) {
  llvm::ArrayRef<double> ln2 = isDouble(x) ? llvm::ArrayRef(kLn2F64) : llvm::ArrayRef(kLn2F32);
  llvm::ArrayRef<double> p = isDouble(x) ? llvm::ArrayRef(kExpF64) : llvm::ArrayRef(kExpF32);
  Rounded n = roundToInteger(x, kReciprocals[0]);
  Real r = fma(n.real, -ln2[1], fma(n.real, -ln2[0], x));
  llvm::SmallVector<double> powers{1.0, 1.0};
  powers.append(p.begin(), p.end());
  for (size_t i = 1; isNegated && i < powers.size(); i += 2) {
    powers[i] = -powers[i];
  }
  Bits exponent = isNegated ? n.integer.like(0) - n.integer : n.integer;
  return {polynomial(r, powers), powerOfTwo(exponent, x)};
}

} // namespace

Real exp(Real x) { return expScaled(x, 0); }

Real expScaled(Real x, int64_t shift) {
  Reduced reduced = reduce(clamp(x));
  Bits n = shift == 0 ? reduced.n : reduced.n + shift;
  return scaleByPowerOfTwo(expOfReduced(reduced.r), n);
}

Real expOfPair(Pair x) {
  Reduced reduced = reduce(clamp(x.hi));
  return scaleByPowerOfTwo(expOfReduced(reduced.r + x.lo), reduced.n);
}

Real expOfNegated(Real x) {
  Scaled result = scaledExp(x, /*isNegated=*/true);
  return result.mantissa * result.scale;
}

Real onePlusExp(Real x, bool isNegated) {
  Scaled result = scaledExp(x, isNegated);
  return fma(result.mantissa, result.scale, 1.0);
}

Real reciprocal(Real x) {
  // Negates the exponent and, roughly, the mantissa; the constant keeps the relative error e below
  // 0.06. Multiplying by 1 + e + e^2 leaves e^3. Two such steps leave 2^-36, so that 1 / (1 + tiny)
  // rounds to 1.
  constexpr int64_t kMagic = 0x7ef127ea;
  Bits bits = bitsOf(x);
  Real result = realOf(bits.like(kMagic) - bits, x);
  for (int step = 0; step < 2; ++step) {
    Real e = fma(-x, result, 1.0);
    result = fma(result, fma(e, e, e), result);
  }
  return result;
}

Real sigmoid(Real x) {
  // Above 17.4 the result rounds to 1. Below -87 exp(-x) nears the largest number; the result is
  // below 2^-125 there, and x < -87 gives zero.
  constexpr double kLow = -87;
  Real clamped = atMost(atLeast(x, kLow), 32);
  Real result = reciprocal(onePlusExp(clamped, /*isNegated=*/true));
  return select(x < kLow, 0.0, result);
}

Real exp2(Real x) {
  // Subtracting the integer part is exact. The limits of exp apply, in base 2.
  Real clamped = atLeast(atMost(x, isDouble(x) ? 1025 : 129), isDouble(x) ? -1077 : -152);
  Rounded n = roundToInteger(clamped);
  Real f = clamped - n.real;
  if (!isDouble(x)) {
    return scaleByPowerOfTwo(fma(f, polynomial(f, kExp2F32), 1.0), n.integer);
  }
  Real r = fma(f, kLn2Pair[0], f * kLn2Pair[1]);
  return scaleByPowerOfTwo(expOfReduced(r), n.integer);
}

Real expm1(Real x) {
  // exp(x) - 1 = 2 (s (exp(r) - 1) + s - 1/2) with s = 2^(n-1), which does not overflow before the
  // result does. Below `low` the result rounds to -1.
  double low = isDouble(x) ? -40 : -20;
  double tiny = isDouble(x) ? 0x1p-54 : 0x1p-25;
  Reduced reduced = reduce(atLeast(atMost(x, isDouble(x) ? 710 : 89), low));
  Real s = powerOfTwo(reduced.n - 1, x);
  Real result = fma(s, reduced.r + tail(reduced.r), s - 0.5) * 2.0;
  // Keeps -0 and the denormals, which the halving above would round.
  return select(abs(x) < tiny, x, result);
}

} // namespace convoy::kernels::math
