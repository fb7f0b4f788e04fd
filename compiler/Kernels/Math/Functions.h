// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The math functions, one source file per family. Each function takes and returns Reals of one
// type. Functions marked "f32 and f64" accept both types. All other functions accept f64 only;
// Expand.cpp extends their f32 operands, which halves the lanes and leaves an error of about half
// an ulp.

#ifndef CONVOY_KERNELS_MATH_FUNCTIONS_H
#define CONVOY_KERNELS_MATH_FUNCTIONS_H

#include "Kernels/Math/ExpressionBuilder.h"

namespace convoy::kernels::math {

// Exp.cpp, f32 and f64.
Real exp(Real x);
Real exp2(Real x);
Real expm1(Real x);
/// Returns exp(x) 2^shift for a small `shift`, without intermediate overflow.
Real expScaled(Real x, int64_t shift);
Real expOfPair(Pair x);
/// Return exp(-x), and 1 + exp(x) or 1 + exp(-x), if the exponential is a normal number far
/// from the largest one: |x| <= 87 for f32. They take half the operations of exp; the error of the
/// exponential is 1.2 ulp in f32. f32 and f64.
Real expOfNegated(Real x);
Real onePlusExp(Real x, bool isNegated);
/// Returns 1 / x for x in [1, 2^126] with an error below one ulp, several times faster than a
/// division of long vectors. f32 only.
Real reciprocal(Real x);
/// Returns 1 / (1 + exp(-x)). f32 only.
Real sigmoid(Real x);

// Log.cpp. log and log1p: f32 and f64.
Real log(Real x);
Real log1p(Real x);
Real log2(Real x);
Real log10(Real x);
/// Returns log(x) with a relative error of about 2^-64; `hi` is infinite or NaN where log is.
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
