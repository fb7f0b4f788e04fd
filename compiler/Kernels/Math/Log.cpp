// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Logarithms. All write x = 2^e m with m in [sqrt(1/2), sqrt(2)) and f = m - 1, which is exact.
// log(1 + f) = f + tail(f). The tail is at most a quarter of the sum, so its rounding error
// contributes little.

#include "Kernels/Math/Functions.h"
#include <limits>

namespace convoy::kernels::math {

#include "Kernels/Math/Coefficients.inc"

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

struct Decomposed {
  Real e;
  Real f;
};

/// Valid for positive, finite x that is not denormal.
Decomposed decomposeNormal(Real x) {
  // Subtracting the bits of sqrt(1/2) carries into the exponent field exactly where m would be
  // below sqrt(1/2).
  bool wide = isDouble(x);
  int64_t mantissaBits = wide ? 52 : 23;
  Bits bits = bitsOf(x);
  Bits e = (bits - (wide ? 0x3fe6a09e667f3bcd : 0x3f3504f3)) >> mantissaBits;
  Real m = realOf(bits - (e << mantissaBits), x);
  return {toReal(e, x), m - 1.0};
}

/// Valid for positive, finite x.
Decomposed decompose(Real x) {
  double minNormal = isDouble(x) ? 0x1p-1022 : 0x1p-126;
  double scaleLog2 = isDouble(x) ? 54 : 25;
  Truth isDenormal = x < minNormal;
  Real scaled = select(isDenormal, x * (isDouble(x) ? 0x1p54 : 0x1p25), x);
  Decomposed parts = decomposeNormal(scaled);
  return {parts.e - select(isDenormal, scaleLog2, x.like(0)), parts.f};
}

/// Returns log(1 + f) - f.
Real tail(Real f) {
  if (!isDouble(f)) {
    return f * f * polynomial(f, kLogF32);
  }
  // With s = f / (2 + f), log(1 + f) = 2 s + s T(s^2) and 2 s = f - s f.
  Real s = f / (f + 2.0);
  Real z = s * s;
  Real t = z * fma(z, polynomial(z, kLogF64), kTwoThirds[0]);
  return s * (t - f);
}

/// Returns e ln 2 + f + tail, with little more than one rounding.
Real assemble(Real e, Real f, Real tail) {
  llvm::ArrayRef<double> ln2 = isDouble(e) ? llvm::ArrayRef(kLn2F64) : llvm::ArrayRef(kLn2F32);
  Pair sum = quickTwoSum(e * ln2[0], f); // |e ln 2| >= 0.69 > |f|, or e is 0.
  return sum.hi + (fma(e, ln2[1], tail) + sum.lo);
}

/// Returns `result` for finite x > edge, and the C99 special values elsewhere.
Real withSpecials(Real x, double edge, Real result) {
  Real atEdge = select(x == edge, x.like(-kInfinity), x.like(kNaN));
  return select(x > edge, select(x < kInfinity, result, x), atEdge);
}

} // namespace

Real log(Real x) {
  Decomposed parts = decompose(x);
  return withSpecials(x, 0.0, assemble(parts.e, parts.f, tail(parts.f)));
}

Real log1p(Real x) {
  // log(u + low) = log(u) + low / u. `low` is below half an ulp of u, so the next term of the
  // series is negligible.
  Pair u = twoSum(x.like(1.0), x);
  Decomposed parts = decomposeNormal(u.hi);
  Real sum = assemble(parts.e, parts.f, tail(parts.f) + u.lo / u.hi);
  return copysign(withSpecials(x, -1.0, sum), x);
}

Real log2(Real x) {
  Decomposed parts = decompose(x);
  return withSpecials(x, 0.0, fma(parts.f + tail(parts.f), kReciprocals[0], parts.e));
}

Real log10(Real x) {
  Decomposed parts = decompose(x);
  Real small = fma(parts.f + tail(parts.f), kReciprocals[1], parts.e * kLog10Of2[1]);
  return withSpecials(x, 0.0, fma(parts.e, kLog10Of2[0], small));
}

Pair logPair(Real x) {
  Decomposed parts = decompose(x);
  // s = f / (2 + f) as a pair, from the remainder of the division.
  Pair g = quickTwoSum(parts.f.like(2.0), parts.f);
  Real sHi = parts.f / g.hi;
  Pair back = twoProduct(sHi, g.hi);
  Real sLo = (((parts.f - back.hi) - back.lo) - sHi * g.lo) / g.hi;

  // In 2/3 + z P(z), only the leading term needs its low half.
  Pair z = twoProduct(sHi, sHi);
  z.lo = fma(sHi * 2.0, sLo, z.lo);
  Pair c = quickTwoSum(x.like(kTwoThirds[0]), z.hi * polynomial(z.hi, kLogF64));
  c.lo = c.lo + kTwoThirds[1];

  // v = s z c, then 2 s + v.
  Pair w = twoProduct(z.hi, c.hi);
  w.lo = w.lo + fma(z.hi, c.lo, z.lo * c.hi);
  Pair v = twoProduct(sHi, w.hi);
  v.lo = v.lo + fma(sHi, w.lo, sLo * w.hi);
  Pair m = quickTwoSum(sHi * 2.0, v.hi);
  m.lo = m.lo + fma(sLo, 2.0, v.lo);

  Pair sum = quickTwoSum(parts.e * kLn2F64[0], m.hi);
  Pair result = quickTwoSum(sum.hi, sum.lo + fma(parts.e, kLn2F64[1], m.lo));
  return {withSpecials(x, 0.0, result.hi), result.lo};
}

} // namespace convoy::kernels::math
