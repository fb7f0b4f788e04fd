// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floats narrower than 32 bits as C++ value types that convert to and from
// float. Conversions round half to even and follow ONNX's tables for overflow.
// The code is written for clarity; kernels have their own conversions.

#pragma once

#include "Support/ElementType.h"
#include <cstdint>

namespace convoy {

/// The result of narrowing a value out of range, or an infinity if the type has
/// none.
enum class Overflow { Saturate, ToNonFinite };

/// The rounding of a float to a power of two (f8E8M0).
enum class PowerRounding { Up, Down, Nearest };

/// Widens the bits of a narrow float; `type` is a floating-point type of at
/// most 16 bits.
float widenFloat(uint16_t bits, ElementType type);

/// Narrows a value to the bits of `type`.
uint16_t narrowFloat(double value, ElementType type, Overflow overflow = Overflow::Saturate,
                     PowerRounding rounding = PowerRounding::Up);

/// A narrow float stored in `Storage`, usable like a float in expressions.
template <ElementType kType, typename Storage>
struct SmallFloat {
  Storage bits = 0;

  SmallFloat() = default;
  SmallFloat(double value) : bits(static_cast<Storage>(narrowFloat(value, kType))) {}
  operator float() const { return widenFloat(bits, kType); }
};

using Half = SmallFloat<ElementType::F16, uint16_t>;
using BFloat16 = SmallFloat<ElementType::BF16, uint16_t>;
using Float8E4M3FN = SmallFloat<ElementType::F8E4M3FN, uint8_t>;
using Float8E4M3FNUZ = SmallFloat<ElementType::F8E4M3FNUZ, uint8_t>;
using Float8E5M2 = SmallFloat<ElementType::F8E5M2, uint8_t>;
using Float8E5M2FNUZ = SmallFloat<ElementType::F8E5M2FNUZ, uint8_t>;
using Float4E2M1 = SmallFloat<ElementType::F4E2M1, uint8_t>;
using Float8E8M0 = SmallFloat<ElementType::F8E8M0, uint8_t>;

} // namespace convoy
