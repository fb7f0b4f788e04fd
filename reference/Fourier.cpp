// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates the discrete Fourier transform of any length, in double. A length n
// = p * m with smallest prime factor p is p transforms of length m and a
// combination, so only prime lengths cost n^2.

#include "reference/Fourier.h"
#include "reference/Odometer.h"
#include <cmath>
#include <complex>

using namespace mlir;

namespace convoy::reference {
namespace {

using Complex = std::complex<double>;

// A transform keeps several copies of its line in double; this limits them to
// about one gigabyte.
constexpr int64_t kMaxLength = int64_t(1) << 24;

int64_t smallestFactor(int64_t n) {
  for (int64_t p = 2; p * p <= n; ++p) {
    if (n % p == 0) {
      return p;
    }
  }
  return n;
}

int64_t largestFactor(int64_t n) {
  int64_t p = smallestFactor(n);
  while (p < n) {
    n /= p;
    p = smallestFactor(n);
  }
  return p;
}

class Fourier {
public:
  Fourier(int64_t length, bool isInverse) : length(length), roots(length) {
    double turn = (isInverse ? 2 : -2) * M_PI / static_cast<double>(length);
    for (int64_t i = 0; i < length; ++i) {
      roots[i] = std::polar(1.0, turn * static_cast<double>(i));
    }
  }

  std::vector<Complex> transform(const std::vector<Complex> &signal) const {
    return part(signal, length, 0, 1);
  }

private:
  /// Transforms the n elements first, first + step, ...; n * step is the
  /// length.
  std::vector<Complex> part(const std::vector<Complex> &signal, int64_t n, int64_t first,
                            int64_t step) const {
    if (n <= 1) {
      return std::vector<Complex>(n, n == 1 ? signal[first] : Complex());
    }
    int64_t p = smallestFactor(n);
    int64_t m = n / p;
    std::vector<std::vector<Complex>> inner;
    for (int64_t i = 0; i < p; ++i) {
      inner.push_back(part(signal, m, first + i * step, step * p));
    }
    std::vector<Complex> result(n);
    for (int64_t k = 0; k < n; ++k) {
      for (int64_t i = 0; i < p; ++i) {
        result[k] += inner[i][k % m] * roots[i * k % n * step];
      }
    }
    return result;
  }

  int64_t length;
  std::vector<Complex> roots;
};

/// One line of a tensor whose last dimension holds (re) or (re, im).
struct Line {
  int64_t base;
  int64_t step; // distance in elements between adjacent positions
  int64_t parts;
};

Complex read(const Tensor &tensor, const Line &line, int64_t i) {
  int64_t at = line.base + i * line.step;
  return {tensor.asDouble(at), line.parts == 2 ? tensor.asDouble(at + 1) : 0};
}

void write(Tensor &tensor, const Line &line, int64_t i, Complex value) {
  int64_t at = line.base + i * line.step;
  tensor.setDouble(at, value.real());
  if (line.parts == 2) {
    tensor.setDouble(at + 1, value.imag());
  }
}

/// Returns the line with a given index along `axis`.
Line lineOf(ArrayRef<int64_t> shape, int64_t axis, int64_t number) {
  int64_t parts = shape.back();
  int64_t inner = product(shape.drop_front(axis + 1).drop_back());
  int64_t outer = number / inner;
  return {(outer * shape[axis] * inner + number % inner) * parts, inner * parts, parts};
}

/// Reads a line, truncated or zero-padded to `length`. The missing half of a
/// one-sided spectrum is the conjugate of the other half.
std::vector<Complex> readSignal(const Tensor &input, const Line &line, int64_t available,
                                int64_t length, bool isHalfSpectrum) {
  std::vector<Complex> signal(length);
  int64_t given = std::min(available, isHalfSpectrum ? length / 2 + 1 : length);
  for (int64_t i = 0; i < given; ++i) {
    signal[i] = read(input, line, i);
  }
  for (int64_t i = length / 2 + 1; isHalfSpectrum && i < length; ++i) {
    signal[i] = std::conj(signal[length - i]);
  }
  return signal;
}

} // namespace

LogicalResult evaluateDFT(graph::DFTOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  Tensor &result = e.output();
  if (result.isEmpty()) {
    return success();
  }
  int64_t rank = input.rank();
  int64_t axis =
      graph::normalizeAxis(op.getAxis() ? e.input(op.getAxis()).asInt(0) : -2, rank).value_or(0);
  bool isInverse = op.getInverse();
  bool isHalfSpectrum = isInverse && op.getOnesided();
  int64_t available = input.dim(axis);
  int64_t length = op.getLength()   ? e.input(op.getLength()).asInt(0)
                   : isHalfSpectrum ? result.dim(axis)
                                    : available;
  if (length < 1) {
    return success(); // An empty signal has empty bins.
  }
  if (length > kMaxLength) {
    return e.unsupported() << "not supported: a transform of length " << length
                           << " on the reference interpreter; the limit is " << kMaxLength;
  }
  int64_t lines = result.size() / (result.dim(axis) * result.shape().back());
  double terms = static_cast<double>(length * largestFactor(length)) * static_cast<double>(lines);
  if (failed(e.checkTerms(terms))) {
    return failure();
  }
  Fourier fourier(length, isInverse);
  double factor = isInverse ? 1 / static_cast<double>(length) : 1;
  for (int64_t i = 0; i < lines; ++i) {
    Line from = lineOf(input.shape(), axis, i);
    Line to = lineOf(result.shape(), axis, i);
    std::vector<Complex> bins =
        fourier.transform(readSignal(input, from, available, length, isHalfSpectrum));
    for (int64_t bin = 0; bin < result.dim(axis); ++bin) {
      write(result, to, bin, bins[bin] * factor);
    }
  }
  return success();
}

} // namespace convoy::reference
