// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dense linear algebra for FitWeights.cpp: square matrices in double, row-major.

#pragma once

#include <cstdint>
#include <vector>

namespace convoy::quantizer {

class SquareMatrix {
public:
  explicit SquareMatrix(int64_t size) : count(size), elements(size * size) {}

  int64_t size() const { return count; }
  double *row(int64_t i) { return elements.data() + i * count; }
  const double *row(int64_t i) const { return elements.data() + i * count; }

private:
  int64_t count;
  std::vector<double> elements;
};

/// target[i] -= factor * source[i]. Every CPU gives the same bits.
void subtractMultiple(double *target, double factor, const double *source, int64_t count);

/// Replaces the upper triangle of a symmetric matrix A by R with A = R'R. Reads only the upper
/// triangle. Returns false if the matrix is not positive definite.
bool factorCholesky(SquareMatrix &matrix);

/// Replaces an upper triangular matrix by its inverse. Does not read below the diagonal.
void invertUpper(SquareMatrix &matrix);

/// Returns the upper triangular U with inverse(A) = U'U; an empty matrix if A is not positive
/// definite.
SquareMatrix factorOfInverse(const SquareMatrix &matrix);

} // namespace convoy::quantizer
