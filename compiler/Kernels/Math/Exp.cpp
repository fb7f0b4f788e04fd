// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// exp and its kin. All write x = n ln 2 + r with integer n and |r| <= ln 2 / 2,
// approximate exp(r) - 1 = r + r^2 P(r), and put 2^n back through the exponent
// bits. ln 2 is split so that n times its first part is exact: no fused
// multiply-add is needed for an accurate r.

#include "Kernels/Math/Functions.h"

namespace convoy::kernels::math {

#include "Kernels/Math/Coefficients.inc"

namespace {

/// Beyond these the result is an infinity or zero for every rounding, and the
/// exponent arithmetic still holds. From ln(2^(128 + 1)) = 89.4 and
/// ln(2^-150) = -103.97, and the same for f64; one more for `shift`.
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

/// exp(r) = 1 + r + tail(r).
Real tail(Real r) {
  llvm::ArrayRef<double> p = isDouble(r) ? llvm::ArrayRef(kExpF64) : llvm::ArrayRef(kExpF32);
  return r * r * polynomial(r, p);
}

/// exp(r). Keeping what 1 + r loses is two operations for a quarter of an ulp: it
/// brings the error below one.
Real expOfReduced(Real r) {
  Pair sum = quickTwoSum(r.like(1.0), r);
  return sum.hi + (sum.lo + tail(r));
}

Real clamp(Real x) {
  Limits limits = limitsOf(x);
  return atLeast(atMost(x, limits.high), limits.low);
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

Real exp2(Real x) {
  // The integer part comes off exactly; the limits are those of exp in base 2.
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
  // exp(x) - 1 = 2 (s (exp(r) - 1) + s - 1/2) with s = 2^(n-1), which cannot
  // overflow before the result does. Below `low` the result rounds to -1.
  double low = isDouble(x) ? -40 : -20;
  double tiny = isDouble(x) ? 0x1p-54 : 0x1p-25;
  Reduced reduced = reduce(atLeast(atMost(x, isDouble(x) ? 710 : 89), low));
  Real s = powerOfTwo(reduced.n - 1, x);
  Real result = fma(s, reduced.r + tail(reduced.r), s - 0.5) * 2.0;
  // Keeps -0 and the denormals, which the halving above would round.
  return select(abs(x) < tiny, x, result);
}

} // namespace convoy::kernels::math
