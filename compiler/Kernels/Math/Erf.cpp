// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The error function: an odd polynomial near zero and 1 - exp(-P(|x|)) elsewhere. There exp(-P) is
// erfc, which is small compared to 1, so neither the polynomial nor exp must be accurate to the
// last bit.

#include "Kernels/Math/Functions.h"

namespace convoy::kernels::math {

#include "Kernels/Math/Coefficients.inc"

Real erf(Real x) {
  // The edges of the two fits in math_coefficients.py. Above `end` the result is 1.
  bool wide = isDouble(x);
  double edge = wide ? 1.0 : 0.875;
  double end = wide ? 6.0 : 4.0;
  Real a = abs(x);
  Real nearZero =
      polynomial(a * a, wide ? llvm::ArrayRef(kErfNearF64) : llvm::ArrayRef(kErfNearF32));
  Real exponent =
      polynomial(atMost(a, end), wide ? llvm::ArrayRef(kErfFarF64) : llvm::ArrayRef(kErfFarF32));
  Real result = select(a < edge, fma(a, nearZero, a), 1.0 - expOfNegated(exponent));
  return copysign(result, x);
}

} // namespace convoy::kernels::math
