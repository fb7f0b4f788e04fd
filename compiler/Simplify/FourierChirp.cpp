// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes chirps and their spectra in double. The transform divides by the smallest factor first,
// so it is fast for the padded lengths, which have small factors.

#include "Simplify/FourierChirp.h"
#include <algorithm>
#include <cmath>

namespace convoy::simplify {
namespace {

using Complex = std::complex<double>;

int64_t smallestFactor(int64_t n) {
  int64_t factor = 2;
  while (n % factor != 0) {
    ++factor;
  }
  return factor;
}

/// Transforms the n elements first, first + step, ... of a signal.
std::vector<Complex> transform(const std::vector<Complex> &signal, int64_t n, int64_t first,
                               int64_t step) {
  if (n == 1) {
    return {signal[first]};
  }
  int64_t factor = smallestFactor(n), inner = n / factor;
  std::vector<Complex> result(n);
  for (int64_t i = 0; i < factor; ++i) {
    std::vector<Complex> part = transform(signal, inner, first + i * step, step * factor);
    for (int64_t k = 0; k < n; ++k) {
      result[k] += part[k % inner] * rootOfUnity(i * k, n, /*isInverse=*/false);
    }
  }
  return result;
}

} // namespace

Complex rootOfUnity(int64_t a, int64_t n, bool isInverse) {
  static constexpr double kQuarterSines[] = {0, 1, 0, -1};
  a %= n;
  double turn = 2 * M_PI * static_cast<double>(a) / static_cast<double>(n);
  bool isQuarter = 4 * a % n == 0;
  int64_t quarter = 4 * a / n;
  double cosine = isQuarter ? kQuarterSines[(quarter + 1) % 4] : std::cos(turn);
  double sine = isQuarter ? kQuarterSines[quarter] : std::sin(turn);
  return {cosine, isInverse ? sine : 0 - sine};
}

std::vector<Complex> chirp(int64_t length, int64_t count, bool isInverse) {
  std::vector<Complex> result;
  for (int64_t j = 0; j < count; ++j) {
    result.push_back(rootOfUnity(j * j, 2 * length, isInverse));
  }
  return result;
}

std::vector<Complex> chirpSpectrum(int64_t length, int64_t bins, int64_t padded, bool isInverse) {
  std::vector<Complex> half = chirp(length, length, !isInverse); // the conjugate
  std::vector<Complex> signal(padded);
  std::copy_n(half.begin(), bins, signal.begin());
  for (int64_t j = 1; j < length; ++j) {
    signal[padded - j] = half[j]; // of index -j
  }
  return transform(signal, padded, 0, 1);
}

} // namespace convoy::simplify
