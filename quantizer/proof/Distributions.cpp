// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The incomplete beta function is the continued fraction of Abramowitz and Stegun 26.5.8, which
// the modified method of Lentz evaluates.

#include "quantizer/proof/Distributions.h"
#include <cmath>
#include <limits>

namespace convoy::quantizer {
namespace {

/// Replaces zero in a denominator, so that the fraction continues.
double notZero(double value) {
  constexpr double kTiny = 1e-300;
  return std::abs(value) < kTiny ? kTiny : value;
}

/// Returns the continued fraction of I_x(a, b) without its factor. It converges quickly if
/// x < (a + 1) / (a + b + 2), in about sqrt(max(a, b)) steps.
double betaFraction(double a, double b, double x) {
  constexpr int kMaxSteps = 100000;
  constexpr double kPrecision = 4 * std::numeric_limits<double>::epsilon();
  double C = 1;
  double D = 1 / notZero(1 - (a + b) * x / (a + 1));
  double fraction = D;
  for (int step = 1; step <= kMaxSteps; ++step) {
    double even = step * (b - step) * x / ((a + 2 * step - 1) * (a + 2 * step));
    D = 1 / notZero(1 + even * D);
    C = notZero(1 + even / C);
    fraction *= C * D;
    double odd = -(a + step) * (a + b + step) * x / ((a + 2 * step) * (a + 2 * step + 1));
    D = 1 / notZero(1 + odd * D);
    C = notZero(1 + odd / C);
    fraction *= C * D;
    if (std::abs(C * D - 1) < kPrecision) {
      break;
    }
  }
  return fraction;
}

} // namespace

double normalQuantile(double alpha) {
  // erfc is 0 in double precision beyond 27 * sqrt(2).
  constexpr double kLargest = 38;
  return bisect(-kLargest, kLargest,
                [&](double z) { return std::erfc(z / std::sqrt(2.0)) / 2 > alpha; });
}

double incompleteBeta(double a, double b, double x) {
  if (x <= 0 || x >= 1) {
    return x <= 0 ? 0 : 1;
  }
  double factor = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) +
                           b * std::log1p(-x));
  return x < (a + 1) / (a + b + 2) ? factor * betaFraction(a, b, x) / a
                                   : 1 - factor * betaFraction(b, a, 1 - x) / b;
}

double binomialTail(int64_t successes, int64_t samples, double share) {
  if (successes >= samples) {
    return 1;
  }
  if (successes < 0) {
    return 0;
  }
  return incompleteBeta(static_cast<double>(samples - successes),
                        static_cast<double>(successes + 1), 1 - share);
}

} // namespace convoy::quantizer
