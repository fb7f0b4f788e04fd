// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Input transform B^T d B with rows (1 0 -1 0), (0 1 1 0), (0 -1 1 0), (0 1 0 -1). The
// points of rounding are those of the published model of the hardware: halves are added in
// a format of 6 bits of exponent and 10 of mantissa, nearest even, once for rows and once
// for columns. No trace or chip has confirmed it.

#include "Accelerators/NVDLA/Simulator/Winograd.h"
#include "Accelerators/NVDLA/Simulator/Cube.h"
#include "Accelerators/NVDLA/Simulator/FixedPoint.h"
#include <cstring>

namespace convoy::nvdla {
namespace {

/// Nearest of 11 significant bits, ties to even. Sums of halves neither leave the range of
/// 6 exponent bits nor have bits below it.
float roundMantissa(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  constexpr unsigned kDropped = 13;
  bits += (uint32_t(1) << (kDropped - 1)) - 1 + (bits >> kDropped & 1);
  bits &= ~((uint32_t(1) << kDropped) - 1);
  std::memcpy(&value, &bits, sizeof bits);
  return value;
}

/// `round` of each sum, rows first: element i of a column or row, `step` apart.
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
