// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions themselves, one source file per family. Each takes and gives
// Reals of one type. Those under "f32 and f64" accept both; the rest are written
// for f64 only, and f32 operands are widened around them (Expand.cpp), which
// costs half the lanes and leaves about half an ulp of error.

#ifndef CONVOY_KERNELS_MATH_FUNCTIONS_H
#define CONVOY_KERNELS_MATH_FUNCTIONS_H

#include "Kernels/Math/ExpressionBuilder.h"

namespace convoy::kernels::math {

// Exp.cpp, f32 and f64.
Real exp(Real x);
Real exp2(Real x);
Real expm1(Real x);
/// exp(x + low) 2^shift for a small `shift`, without overflow in between.
Real expScaled(Real x, int64_t shift);
Real expOfPair(Pair x);

// Log.cpp. log and log1p: f32 and f64.
Real log(Real x);
Real log1p(Real x);
Real log2(Real x);
Real log10(Real x);
/// log(x) to about 2^-64 relative; infinite or NaN in `hi` as log would be.
Pair logPair(Real x);

// Hyperbolic.cpp. tanh: f32 and f64.
Real tanh(Real x);
Real sinh(Real x);
Real cosh(Real x);
Real asinh(Real x);
Real acosh(Real x);
Real atanh(Real x);

// Erf.cpp, f32 and f64.
Real erf(Real x);

// Trig.cpp. sin and cos: f32 and f64.
Real sin(Real x);
Real cos(Real x);
Real tan(Real x);

// InverseTrig.cpp
Real asin(Real x);
Real acos(Real x);
Real atan(Real x);
Real atan2(Real y, Real x);

// Pow.cpp. pow, rsqrt, round: f32 and f64.
Real pow(Real x, Real y);
Real cbrt(Real x);
Real rsqrt(Real x);
Real round(Real x);

} // namespace convoy::kernels::math

#endif // CONVOY_KERNELS_MATH_FUNCTIONS_H
