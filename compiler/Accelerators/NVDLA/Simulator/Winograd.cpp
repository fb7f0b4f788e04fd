// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The input transform is B^T d B with the rows (1 0 -1 0), (0 1 1 0), (0 -1 1 0), (0 1 0 -1).
// Rounding follows the published model of the hardware: fp16 numbers are added in a format with 6
// exponent bits and 10 mantissa bits, rounded to nearest even, once for rows and once for columns.
// Neither a trace nor a chip has confirmed this.

#include "Accelerators/NVDLA/Simulator/Winograd.h"
#include "Accelerators/NVDLA/Simulator/Cube.h"
#include "Accelerators/NVDLA/Simulator/FixedPoint.h"
#include <cstring>

namespace convoy::nvdla {
namespace {

/// Rounds to 11 significant bits, ties to even. Sums of fp16 numbers stay in the range of 6
/// exponent bits and have no bits below it.
float roundMantissa(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  constexpr unsigned kDropped = 13;
  bits += (uint32_t(1) << (kDropped - 1)) - 1 + (bits >> kDropped & 1);
  bits &= ~((uint32_t(1) << kDropped) - 1);
  std::memcpy(&value, &bits, sizeof bits);
  return value;
}

/// Transforms rows, then columns, and applies `round` to each sum; elements are `step` apart.
template <typename T, typename Wide, typename Round>
void transform(const T *in, Wide *out, Round round) {
  auto combine = [&](const auto *from, Wide *to, unsigned step) {
    Wide a = from[0], b = from[step], c = from[2 * step], d = from[3 * step];
    to[0] = round(a - c);
    to[step] = round(b + c);
    to[2 * step] = round(c - b);
    to[3 * step] = round(b - d);
  };
  Wide middle[kTile];
  for (unsigned x = 0; x < 4; ++x) {
    combine(in + x, middle + x, 4);
  }
  for (unsigned y = 0; y < 4; ++y) {
    combine(middle + size_t(4) * y, out + size_t(4) * y, 1);
  }
}

} // namespace

void preAdd(const float *in, float *out) {
  transform(in, out, roundMantissa);
  for (unsigned i = 0; i < kTile; ++i) {
    out[i] = halfToFloat(floatToHalf(out[i]));
  }
}

void preAdd(const int16_t *in, unsigned truncate, unsigned bits, int16_t *out) {
  int32_t wide[kTile];
  transform(in, wide, [](int32_t value) { return value; });
  for (unsigned i = 0; i < kTile; ++i) {
    out[i] = int16_t(saturate(roundShift(wide[i], int(truncate)), bits));
  }
}

} // namespace convoy::nvdla
