// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hyperbolic functions and their inverses, computed on |x| with the sign restored last. Only tanh
// has a separate f32 version, because networks use it often.

#include "Kernels/Math/Functions.h"
#include <limits>

namespace convoy::kernels::math {

#include "Kernels/Math/Coefficients.inc"

/// Returns x + x^3 P(x^2).
static Real oddPolynomial(Real x, llvm::ArrayRef<double> p) {
  Real z = x * x;
  return fma(x * z, polynomial(z, p), x);
}

Real tanh(Real x) {
  Real a = abs(x);
  if (isDouble(x)) {
    // tanh rounds to 1 from 19.1 on; the limit avoids infinity / infinity.
    Real t = expm1(atMost(a, 22) * 2.0);
    return copysign(t / (t + 2.0), x);
  }
  // Above 0.625 the subtracted quotient is at most 0.45, so its error counts only half.
  // tanh rounds to 1 from 9.1 on.
  Real far = 1.0 - 2.0 * reciprocal(onePlusExp(atMost(a, 16) * 2.0, /*isNegated=*/false));
  return copysign(select(a < 0.625, oddPolynomial(a, kTanhF32), far), x);
}

Real sinh(Real x) {
  Real a = abs(x);
  Real half = expScaled(a, -1);
  return copysign(select(a < 1.0, oddPolynomial(a, kSinhF64), half - 0.25 / half), x);
}

Real cosh(Real x) {
  Real half = expScaled(abs(x), -1);
  return half + 0.25 / half;
}

Real asinh(Real x) {
  // Computes log(a + sqrt(a^2 + 1)), with a + sqrt(a^2 + 1) - 1 free of cancellation. Above 2^28
  // the result equals ln 2 + log(a) to the last bit, and a^2 could overflow.
  Real a = abs(x);
  Truth isBig = a > 0x1p28;
  Real square = a * a;
  Real argument = a + square / (sqrt(square + 1.0) + 1.0);
  Real result = log1p(select(isBig, a - 1.0, argument)) + select(isBig, kLn2Pair[0], x.like(0));
  return copysign(result, x);
}

Real acosh(Real x) {
  Truth isBig = x > 0x1p28;
  Real t = x - 1.0;
  Real argument = t + sqrt(t * (t + 2.0));
  Real result = log1p(select(isBig, t, argument)) + select(isBig, kLn2Pair[0], x.like(0));
  return select(x >= 1.0, result, std::numeric_limits<double>::quiet_NaN());
}

Real atanh(Real x) {
  // a = 1 gives log1p(infinity) = infinity; a > 1 gives log1p of less than -1 = NaN.
  Real a = abs(x);
  return copysign(log1p(a * 2.0 / (1.0 - a)) * 0.5, x);
}

} // namespace convoy::kernels::math
