// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements widening and narrowing with one routine each for the formats of
// FloatFormat.h. f8E8M0, which has neither sign nor mantissa, is a separate case.

#include "Support/SmallFloat.h"
#include "Support/FloatFormat.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace convoy {
namespace {

float widenPowerOfTwo(uint16_t bits) {
  return bits == 255 ? std::numeric_limits<float>::quiet_NaN()
                     : static_cast<float>(std::ldexp(1.0, bits - 127));
}

uint16_t narrowPowerOfTwo(double value, Overflow overflow, PowerRounding rounding) {
  if (std::isnan(value)) {
    return 255;
  }
  value = std::fabs(value);
  if (std::isinf(value)) {
    return overflow == Overflow::Saturate ? 254 : 255;
  }
  if (value == 0) {
    return 0;
  }
  int exponent;
  double fraction = std::frexp(value, &exponent); // value = fraction * 2^exponent, [0.5, 1)
  int bits = exponent - 1 + 127;
  bool isExact = fraction == 0.5;
  if (!isExact &&
      (rounding == PowerRounding::Up || (rounding == PowerRounding::Nearest && fraction >= 0.75))) {
    ++bits;
  }
  if (bits > 254) {
    return overflow == Overflow::Saturate ? 254 : 255;
  }
  return static_cast<uint16_t>(bits < 0 ? 0 : bits);
}

} // namespace

float widenFloat(uint16_t bits, ElementType type) {
  if (type == ElementType::F8E8M0) {
    return widenPowerOfTwo(bits);
  }
  FloatFormat f = formatOf(type);
  int mantissa = bits & ((1 << f.mantissaBits) - 1);
  int exponent = bits >> f.mantissaBits & ((1 << f.exponentBits) - 1);
  bool isNegative = bits >> f.signShift() & 1;
  int magnitude = bits & (f.signBit() - 1);
  bool isTop = exponent == (1 << f.exponentBits) - 1;
  if (f.specials == Specials::Ieee && isTop) {
    float special =
        mantissa ? std::numeric_limits<float>::quiet_NaN() : std::numeric_limits<float>::infinity();
    return isNegative ? -special : special;
  }
  bool isNan = (f.specials == Specials::NanAllOnes && magnitude == f.nan()) ||
               (f.specials == Specials::NanNegZero && bits == f.nan());
  if (isNan) {
    return std::numeric_limits<float>::quiet_NaN();
  }
  double value = exponent == 0 ? std::ldexp(mantissa, 1 - f.bias - f.mantissaBits)
                               : std::ldexp(mantissa | 1 << f.mantissaBits,
                                            exponent - f.bias - f.mantissaBits);
  return static_cast<float>(isNegative ? -value : value);
}

/// Returns the encoding of the nearest magnitude (round half to even) without a
/// limit. Encodings increase with the magnitude, so rounding up may carry from
/// the mantissa into the exponent.
static uint64_t roundMagnitude(double value, const FloatFormat &f) {
  constexpr int kDoubleMantissa = 52;
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  int exponent = static_cast<int>(bits >> kDoubleMantissa & 0x7ff) - 1023;
  uint64_t mantissa = bits & ((uint64_t(1) << kDoubleMantissa) - 1);
  if (exponent == -1023) {
    return 0; // A subnormal double is below half the smallest value of any type.
  }
  mantissa |= uint64_t(1) << kDoubleMantissa;
  // Subnormals have the smallest exponent and fewer significant bits.
  int shared = std::max(exponent, 1 - f.bias);
  int dropped = kDoubleMantissa - f.mantissaBits + (shared - exponent);
  if (dropped > kDoubleMantissa + 1) {
    return 0; // Below half the smallest value.
  }
  uint64_t units = mantissa >> dropped;
  uint64_t rest = mantissa & ((uint64_t(1) << dropped) - 1);
  uint64_t half = uint64_t(1) << (dropped - 1);
  units += rest > half || (rest == half && units % 2 == 1);
  return (static_cast<uint64_t>(shared + f.bias - 1) << f.mantissaBits) + units;
}

uint16_t narrowFloat(double value, ElementType type, Overflow overflow, PowerRounding rounding) {
  if (type == ElementType::F8E8M0) {
    return narrowPowerOfTwo(value, overflow, rounding);
  }
  FloatFormat f = formatOf(type);
  uint16_t sign = static_cast<uint16_t>(std::signbit(value) ? f.signBit() : 0);
  if (std::isnan(value)) {
    return static_cast<uint16_t>(f.specials == Specials::NanNegZero ? f.nan() : f.nan() | sign);
  }
  // 16-bit types always overflow to infinity, as IEEE 754 specifies; ONNX's
  // attribute saturate applies to 8-bit types.
  if (bitWidth(type) == 16) {
    overflow = Overflow::ToNonFinite;
  }
  uint64_t magnitude = roundMagnitude(std::fabs(value), f); // infinity counts as a large magnitude
  bool isOver = magnitude > static_cast<uint64_t>(f.largest());
  auto bits = static_cast<uint16_t>(
      isOver ? static_cast<uint64_t>(f.overflow(overflow == Overflow::Saturate)) : magnitude);
  if (f.specials == Specials::NanNegZero && (bits == 0 || bits == f.nan())) {
    return bits;
  }
  return bits | sign;
}

} // namespace convoy
