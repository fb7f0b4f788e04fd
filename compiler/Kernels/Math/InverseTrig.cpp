// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// asin, acos, atan and atan2 in f64. Symmetries reduce the argument to a short interval around
// zero. pi/2 is a sum of two numbers, so undoing the reduction costs one rounding.

#include "Kernels/Math/Functions.h"

namespace convoy::kernels::math {

#include "Kernels/Math/Coefficients.inc"

namespace {

/// Returns asin of `root`, with z = root^2 <= 1/4.
Real arcsine(Real root, Real z) { return fma(root * z, polynomial(z, kAsinF64), root); }

/// The reduction for asin and acos. If a > 1/2, asin(a) = pi/2 - 2 asin(root) with root = sqrt((1 -
/// a) / 2). `angle` is asin(a) or asin(root). If a > 1, the square root of a negative number gives
/// NaN, which is the correct result.
struct Arcsine {
  Truth isFar;
  Real angle;
};
Arcsine reduceArcsine(Real a) {
  Truth isFar = a > 0.5;
  Real z = select(isFar, (1.0 - a) * 0.5, a * a);
  return {isFar, arcsine(select(isFar, sqrt(z), a), z)};
}

/// Returns pi/2 - a.
Real complement(Real a) { return kHalfPiPair[0] - (a - kHalfPiPair[1]); }

/// Returns atan(q) for q in [0, 1].
Real atanUnit(Real q) {
  // Above tan(pi/8), atan(q) = pi/4 + atan((q - 1) / (q + 1)).
  Truth isFar = q > 0x1.a827999fcef32p-2;
  Real t = select(isFar, (q - 1.0) / (q + 1.0), q);
  Real z = t * t;
  Real angle = fma(t * z, polynomial(z, kAtanF64), t);
  Real shifted = kHalfPiPair[0] / 2 + (angle + kHalfPiPair[1] / 2);
  return select(isFar, shifted, angle);
}

} // namespace

Real asin(Real x) {
  Arcsine reduced = reduceArcsine(abs(x));
  return copysign(select(reduced.isFar, complement(reduced.angle * 2.0), reduced.angle), x);
}

Real acos(Real x) {
  Arcsine reduced = reduceArcsine(abs(x));
  Real middle = complement(copysign(reduced.angle, x));
  Real right = reduced.angle * 2.0;
  Real left = complement(reduced.angle) * 2.0;
  return select(reduced.isFar, select(x < 0.0, left, right), middle);
}

Real atan(Real x) {
  Real a = abs(x);
  Truth isSteep = a > 1.0;
  Real angle = atanUnit(select(isSteep, 1.0 / a, a));
  return copysign(select(isSteep, complement(angle), angle), x);
}

Real atan2(Real y, Real x) {
  Real up = abs(y);
  Real along = abs(x);
  Truth isSteep = up >= along;
  Real low = select(isSteep, along, up);
  Real high = select(isSteep, up, along);
  // Equal operands cover infinity / infinity; 0 / 0 gives angle 0.
  Real ofEqual = select(high == 0.0, 0.0, x.like(1.0));
  Real angle = atanUnit(select(low == high, ofEqual, low / high));
  angle = select(up > along, complement(angle), angle);
  Real turned = kHalfPiPair[0] * 2 - (angle - kHalfPiPair[1] * 2);
  return copysign(select(isNegative(x), turned, angle), y);
}

} // namespace convoy::kernels::math
