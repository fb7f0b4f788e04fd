// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inner loops add a multiple of a row to a row, which the compiler vectorizes without changing
// results.

#include "quantizer/weights/LinearAlgebra.h"
#include "quantizer/observe/Vectors.h"
#include <algorithm>
#include <cmath>

namespace convoy::quantizer {
namespace {

/// Rows that one pass over the rest of the matrix subtracts, so that a row stays in the cache.
constexpr int64_t kBlock = 32;

/// Without fused multiply-add, which not every CPU has.
CONVOY_INLINE void subtract(double *target, double factor, const double *source, int64_t count) {
#pragma clang fp contract(off)
  for (int64_t i = 0; i < count; ++i) {
    target[i] -= factor * source[i];
  }
}

#ifdef CONVOY_HAS_AVX2_CLONES
__attribute__((target("avx2"))) void subtractAvx2(double *target, double factor,
                                                  const double *source, int64_t count) {
  subtract(target, factor, source, count);
}
#else
void subtractAvx2(double *, double, const double *, int64_t) {}
#endif

/// target -= factor * source for the columns begin to end.
void subtractRow(double *target, double factor, const double *source, int64_t begin, int64_t end) {
  subtractMultiple(target + begin, factor, source + begin, end - begin);
}

} // namespace

void subtractMultiple(double *target, double factor, const double *source, int64_t count) {
  static const bool kHasAvx2 = hasAvx2();
  kHasAvx2 ? subtractAvx2(target, factor, source, count) : subtract(target, factor, source, count);
}

bool factorCholesky(SquareMatrix &matrix) {
  int64_t n = matrix.size();
  for (int64_t first = 0; first < n; first += kBlock) {
    int64_t last = std::min(n, first + kBlock);
    for (int64_t k = first; k < last; ++k) {
      double *pivot = matrix.row(k);
      if (!(pivot[k] > 0)) {
        return false;
      }
      double inverse = 1 / std::sqrt(pivot[k]);
      for (int64_t j = k; j < n; ++j) {
        pivot[j] *= inverse;
      }
      for (int64_t i = k + 1; i < last; ++i) {
        subtractRow(matrix.row(i), pivot[i], pivot, i, n);
      }
    }
    for (int64_t i = last; i < n; ++i) {
      for (int64_t k = first; k < last; ++k) {
        subtractRow(matrix.row(i), matrix.row(k)[i], matrix.row(k), i, n);
      }
    }
  }
  return true;
}

void invertUpper(SquareMatrix &matrix) {
  int64_t n = matrix.size();
  std::vector<double> factors(n);
  // Row i of the inverse is (e_i - sum of R[i][k] * row k of the inverse, k > i) / R[i][i].
  for (int64_t i = n - 1; i >= 0; --i) {
    double *row = matrix.row(i);
    std::copy(row + i, row + n, factors.begin() + i);
    std::fill(row + i + 1, row + n, 0.0);
    row[i] = 1;
    for (int64_t k = i + 1; k < n; ++k) {
      subtractRow(row, factors[k], matrix.row(k), k, n);
    }
    double inverse = 1 / factors[i];
    for (int64_t j = i; j < n; ++j) {
      row[j] *= inverse;
    }
  }
}

SquareMatrix factorOfInverse(const SquareMatrix &matrix) {
  // Let J reverse the order. JAJ = R'R gives A = (JR'J)(JRJ) = VV' with the upper triangular
  // V = JR'J, so inverse(A) = U'U with U = inverse(V) = J inverse(R)' J.
  int64_t n = matrix.size();
  SquareMatrix reversed(n);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = i; j < n; ++j) {
      reversed.row(i)[j] = matrix.row(n - 1 - j)[n - 1 - i];
    }
  }
  if (!factorCholesky(reversed)) {
    return SquareMatrix(0);
  }
  invertUpper(reversed);
  SquareMatrix result(n);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = i; j < n; ++j) {
      result.row(i)[j] = reversed.row(n - 1 - j)[n - 1 - i];
    }
  }
  return result;
}

} // namespace convoy::quantizer
