// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fills the tables of squares and of factors and converts the ratios of the ranges to multipliers.

#include "Quantize/ByteTables.h"
#include <cmath>

namespace convoy::quantize {

static constexpr double kSteps = 256; // of a range

static uint8_t toByte(double steps) {
  return static_cast<uint8_t>(std::clamp(std::round(steps), 0.0, kSteps - 1));
}

std::optional<ByteTables> byteTables(const ByteRanges &ranges, const NormalizationCurve &curve) {
  constexpr int64_t kMultiplierBits = 8;
  constexpr double kSignedSteps = 128;
  ByteTables tables = {};
  for (size_t i = 0; i < tables.squares.size(); ++i) {
    double x = static_cast<double>(i) * ranges.input / kSignedSteps;
    tables.squares[i] = toByte(kSteps * curve.perSquare * x * x / ranges.squares);
    double sum = static_cast<double>(i) * ranges.sums / kSteps;
    tables.factors[i] = toByte(kSteps * std::pow(curve.bias + sum, -curve.beta) / ranges.factors);
  }
  auto sum = multiplierFor(ranges.squares / ranges.sums, kMultiplierBits);
  auto product =
      multiplierFor(ranges.input * ranges.factors / ranges.result / kSteps, kMultiplierBits);
  if (!sum || !product || sum->multiplier == 0 || product->multiplier == 0) {
    return std::nullopt;
  }
  tables.sum = *sum;
  tables.product = *product;
  return tables;
}

ByteRanges rangesOf(const NormalizationCurve &curve, int64_t size, double input, double result) {
  constexpr double kOfNeighbor = 1.0 / 9;
  double square = curve.perSquare * input * input;
  double sum = square * (1 + static_cast<double>(size - 1) * kOfNeighbor);
  return {input, square, sum, std::pow(curve.bias, -curve.beta), result};
}

} // namespace convoy::quantize
