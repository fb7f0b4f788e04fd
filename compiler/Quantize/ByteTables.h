// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers of an LRN that computes with two tables of bytes. A byte of squares, of their sum and
// of the factor is a multiple of 1/256 of a range; larger numbers saturate.
//
//     s = round(sum of squares[|x|] over the channels * sum.multiplier / 2^sum.shift)
//     y = round(x * factors[s] * product.multiplier / 2^product.shift)

#pragma once

#include "Quantize/Quantized.h"
#include <array>

namespace convoy::quantize {

/// The largest numbers that bytes represent. Signed bytes of input and result have steps of 1/128
/// of theirs.
struct ByteRanges {
  double input, squares, sums, factors, result;
};

/// x / (bias + perSquare * sum of squares) ^ beta.
struct NormalizationCurve {
  double perSquare, beta, bias;
};

struct ByteTables {
  std::array<uint8_t, 256> squares, factors;
  Multiplier sum, product;
};

/// Returns nullopt if a ratio of ranges exceeds a multiplier of 8 bits.
std::optional<ByteTables> byteTables(const ByteRanges &ranges, const NormalizationCurve &curve);

/// Returns ranges for windows of `size` channels. An input of `input` is the largest square; the
/// root mean square of its neighbors is assumed to be a third of it.
ByteRanges rangesOf(const NormalizationCurve &curve, int64_t size, double input, double result);

} // namespace convoy::quantize
