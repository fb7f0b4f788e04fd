// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Distribution functions of the bounds in Promise.cpp, and the bisection that inverts them.

#pragma once

#include <cstdint>

namespace convoy::quantizer {

/// Returns the z that a standard normal variable exceeds with probability `alpha`, 0 < alpha < 1.
double normalQuantile(double alpha);

/// Returns the regularized incomplete beta function I_x(a, b) for a, b > 0.
double incompleteBeta(double a, double b, double x);

/// Returns the probability of at most `successes` successes of a share in n samples.
double binomialTail(int64_t successes, int64_t samples, double share);

/// Returns the upper end of the last interval of a bisection between `low`, where `isBelow` holds,
/// and `high`, where it does not. The upper end is the conservative end of an upper bound.
template <typename Predicate>
double bisect(double low, double high, Predicate isBelow, int steps = 100) {
  for (int step = 0; step < steps; ++step) {
    double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) {
      break;
    }
    (isBelow(middle) ? low : high) = middle;
  }
  return high;
}

} // namespace convoy::quantizer
