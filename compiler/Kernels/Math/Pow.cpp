// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Powers and roots. x^y = exp(y log|x|), with the sign and the special cases of C99 F.9.4.4. In f64
// the logarithm is a pair, because y can multiply its error by a thousand. For f32, a plain f64
// logarithm is accurate enough.

#include "Kernels/Math/Functions.h"
#include <limits>

namespace convoy::kernels::math {

#include "Kernels/Math/Coefficients.inc"

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Returns whether a is an integer or infinity; valid for a >= 0. All numbers from 2^52 on are
/// integers. Below, adding 2^52 rounds the fraction away.
Truth isInteger(Real a) { return (a >= 0x1p52) | ((a + 0x1p52) - 0x1p52 == a); }

/// Returns |x|^y.
Real magnitude(Real x, Real y, bool forSingle) {
  if (forSingle) {
    return exp(y * log(x));
  }
  Pair logX = logPair(x);
  Pair product = twoProduct(y, logX.hi);
  Real low = fma(y, logX.lo, product.lo);
  // If exp overflows or underflows, the low half may be infinity or NaN.
  return expOfPair({product.hi, select(abs(product.hi) < 1000.0, low, 0.0)});
}

Real powInDouble(Real x, Real y, bool forSingle) {
  Real a = abs(x);
  Real b = abs(y);
  Truth yIsInteger = isInteger(b);
  Truth yIsOdd = yIsInteger & !isInteger(b * 0.5);
  // Handles |x| = 1 for any y: (-1)^infinity is 1, and for large y the exact product below could
  // overflow.
  Real result = select(a == 1.0, 1.0, magnitude(a, y, forSingle));
  result = select(yIsOdd & isNegative(x), -result, result);
  // A negative finite base has real powers only for integer exponents.
  Truth isUndefined = (x < 0.0) & (a < kInfinity) & !yIsInteger;
  result = select(isUndefined, std::numeric_limits<double>::quiet_NaN(), result);
  // The result is 1 even if the other operand is NaN.
  return select((y == 0.0) | (x == 1.0), 1.0, result);
}

} // namespace

Real pow(Real x, Real y) {
  if (isDouble(x)) {
    return powInDouble(x, y, /*forSingle=*/false);
  }
  return toSingle(powInDouble(toDouble(x), toDouble(y), /*forSingle=*/true));
}

Real cbrt(Real x) {
  // exp(log(a) / 3) is accurate to 2^-44; one Newton step squares the error.
  Real a = abs(x);
  Real y = exp(log(a) / 3.0);
  Real step = (y - a / (y * y)) / 3.0;
  Truth isOrdinary = (a > 0.0) & (a < kInfinity);
  return select(isOrdinary, copysign(y - step, x), x);
}

Real rsqrt(Real x) { return 1.0 / sqrt(x); }

Real round(Real x) {
  // Adding 2^52 (f32: 2^23) rounds the fraction away, ties to even. A tie that was rounded down is
  // corrected upwards. Larger numbers are integers.
  double shift = isDouble(x) ? 0x1p52 : 0x1p23;
  Real a = abs(x);
  Real even = (a + shift) - shift;
  Real rounded = select(a - even == 0.5, even + 1.0, even);
  return copysign(select(a < shift, rounded, a), x);
}

} // namespace convoy::kernels::math
