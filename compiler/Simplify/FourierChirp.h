// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The constants of Bluestein's method, in double. A transform of any length n is a convolution with
// a chirp, which transforms of another length m >= n + bins - 1 compute:
//
//     X[k] = c[k] * sum over j of (x[j] * c[j]) * conj(c[k - j]),   c[j] = exp(-pi i j^2 / n)
//
// LowerFourier.cpp uses it for lengths with a large prime factor.

#pragma once

#include <complex>
#include <cstdint>
#include <vector>

namespace convoy::simplify {

/// Returns exp(-+2 pi i a / n), exactly for quarters of a turn. The argument is reduced first,
/// because a may be large.
std::complex<double> rootOfUnity(int64_t a, int64_t n, bool isInverse);

/// Returns the first `count` elements of the chirp of a transform.
std::vector<std::complex<double>> chirp(int64_t length, int64_t count, bool isInverse);

/// Returns the transform of the conjugate of the chirp, which is periodic with length `padded` and
/// serves results 0 to bins - 1.
std::vector<std::complex<double>> chirpSpectrum(int64_t length, int64_t bins, int64_t padded,
                                                bool isInverse);

} // namespace convoy::simplify
