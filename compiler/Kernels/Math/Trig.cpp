// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// sin, cos and tan. The reduction x = n pi/2 + r with |r| <= pi/4 subtracts n times the parts of a
// split pi/2; products with all parts except the last are exact up to |x| = 2^30. Larger finite
// arguments count as zero, because adjacent f32 are 128 apart there. Infinities and NaN give NaN.
// f32 is computed in f64 with shorter polynomials.

#include "Kernels/Math/Functions.h"

namespace convoy::kernels::math {

#include "Kernels/Math/Coefficients.inc"

namespace {

/// The constants that determine the accuracy and the number of operations.
struct Accuracy {
  llvm::ArrayRef<double> halfPi;
  llvm::ArrayRef<double> sine;
  llvm::ArrayRef<double> cosine;
};

struct Turn {
  Real sine;
  Real cosine;
  Bits quadrant;
};

/// Returns sin(r), cos(r) and n of the reduced argument.
Turn turn(Real x, const Accuracy &accuracy) {
  // x * 0 is a zero of the same sign, or NaN where the result must be NaN.
  Real inRange = select(abs(x) <= 0x1p30, x, x * 0.0);
  Rounded n = roundToInteger(inRange * kReciprocals[2]);
  Real r = inRange;
  for (double part : accuracy.halfPi) {
    r = fma(n.real, -part, r);
  }
  Real z = r * r;
  Real sine = fma(r * z, polynomial(z, accuracy.sine), r);
  Real cosine = fma(z * z, polynomial(z, accuracy.cosine), fma(z, -0.5, r.like(1.0)));
  return {sine, cosine, n.integer};
}

Accuracy doubleAccuracy() { return {kHalfPi, kSinF64, kCosF64}; }
Accuracy singleAccuracy() { return {kHalfPiShort, kSinShort, kCosShort}; }

/// Returns sin(x + quarters pi/2).
Real sineAt(Real x, const Accuracy &accuracy, int64_t quarters) {
  Turn parts = turn(x, accuracy);
  Bits quadrant = quarters == 0 ? parts.quadrant : parts.quadrant + quarters;
  Real result = select((quadrant & 1) == 0, parts.sine, parts.cosine);
  return negateIf(result, quadrant >> 1);
}

} // namespace

Real sin(Real x) {
  Real result = isDouble(x) ? sineAt(x, doubleAccuracy(), 0)
                            : toSingle(sineAt(toDouble(x), singleAccuracy(), 0));
  return select(x == 0.0, x, result); // The polynomial loses the sign of -0.
}

Real cos(Real x) {
  return isDouble(x) ? sineAt(x, doubleAccuracy(), 1)
                     : toSingle(sineAt(toDouble(x), singleAccuracy(), 1));
}

Real tan(Real x) {
  Turn parts = turn(x, doubleAccuracy());
  Truth isEven = (parts.quadrant & 1) == 0;
  Real quotient =
      select(isEven, parts.sine, -parts.cosine) / select(isEven, parts.cosine, parts.sine);
  return select(x == 0.0, x, quotient);
}

} // namespace convoy::kernels::math
