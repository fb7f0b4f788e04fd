// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The integer arithmetic that all NVDLA units share: saturation to n bits and a right shift that
// rounds half away from zero.

#pragma once

#include <cstdint>

namespace convoy::nvdla {

using Wide = __int128;

/// Returns the nearest value that fits in `bits` signed bits, 1 <= bits <= 63.
inline int64_t saturate(Wide value, unsigned bits) {
  Wide high = (Wide(1) << (bits - 1)) - 1;
  Wide low = -high - 1;
  return int64_t(value < low ? low : value > high ? high : value);
}

/// Returns the low `bits` of a register as a signed number.
inline int64_t signExtend(uint64_t value, unsigned bits) {
  uint64_t sign = uint64_t(1) << (bits - 1);
  value &= (sign << 1) - 1;
  return int64_t(value ^ sign) - int64_t(sign);
}

/// Returns value / 2^shift, rounded half away from zero; a negative shift multiplies, by up to
/// 2^63.
inline Wide roundShift(Wide value, int shift) {
  if (shift <= 0) {
    return value * (Wide(1) << -shift);
  }
  if (shift > 120) {
    return 0; // no operand has that many bits
  }
  Wide half = Wide(1) << (shift - 1);
  return value < 0 ? -((-value + half) >> shift) : (value + half) >> shift;
}

/// Subtracts, scales and shifts, as every converter does. Callers saturate the result.
inline Wide convertValue(int64_t value, int64_t offset, int64_t scale, int shift) {
  return roundShift(Wide(value - offset) * scale, shift);
}

} // namespace convoy::nvdla
