// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversion of whole tensors between number types, with the semantics of
// graph.cast. Evaluators that compute in double (16-bit floats, sums) use it to
// widen their operands and to round their result once.

#pragma once

#include "Support/Tensor.h"
#include <cmath>
#include <limits>

namespace convoy::reference {

/// What narrowing to a small float does; other types ignore it.
struct Narrowing {
  Overflow overflow = Overflow::Saturate;
  PowerRounding rounding = PowerRounding::Up;
};

/// Converts every element of `from` into `to`, of equal count. Numbers and
/// booleans only.
void convertElements(const Tensor &from, Tensor &to, Narrowing narrowing = {});

/// The tensor itself when it has the type already.
Tensor converted(const Tensor &from, ElementType to);

/// Truncates toward zero; out of range saturates and NaN gives 0.
template <typename T>
T saturateTo(double value) {
  if (std::isnan(value)) {
    return 0;
  }
  // The largest T may not be a double; the power of two above it is.
  constexpr double kLowest = static_cast<double>(std::numeric_limits<T>::lowest());
  constexpr T kHalf = std::numeric_limits<T>::max() / 2 + 1;
  constexpr double kAbove = 2.0 * static_cast<double>(kHalf);
  if (value >= kAbove) {
    return std::numeric_limits<T>::max();
  }
  return value <= kLowest ? std::numeric_limits<T>::lowest() : static_cast<T>(value);
}

/// Least and greatest value of an integer type, I4 and its like included.
int64_t lowestOf(ElementType type);
uint64_t highestOf(ElementType type);

/// Keeps the low bits of elements of integers narrower than a byte (I4, U2 ...),
/// sign- or zero-extended; other types are left alone.
void wrapNarrowIntegers(Tensor &tensor);

} // namespace convoy::reference
