// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts whole tensors between number types with the semantics of graph.cast.
// Evaluators that compute in double (16-bit floats, sums) use it to widen their
// operands and to round their result once.

#pragma once

#include "Support/Tensor.h"
#include <cmath>
#include <limits>

namespace convoy::reference {

/// How a conversion narrows to a small float; other types ignore it.
struct Narrowing {
  Overflow overflow = Overflow::Saturate;
  PowerRounding rounding = PowerRounding::Up;
};

/// Converts every element of `from` into `to`, which has the same number of
/// elements. Supports numbers and booleans only.
void convertElements(const Tensor &from, Tensor &to, Narrowing narrowing = {});

/// Returns a converted tensor, or the tensor itself if it already has the type.
Tensor converted(const Tensor &from, ElementType to);

/// Truncates toward zero; values out of range saturate and NaN becomes 0.
template <typename T>
T saturateTo(double value) {
  if (std::isnan(value)) {
    return 0;
  }
  // A double may not represent the largest T, but it represents the power of
  // two above it.
  constexpr double kLowest = static_cast<double>(std::numeric_limits<T>::lowest());
  constexpr T kHalf = std::numeric_limits<T>::max() / 2 + 1;
  constexpr double kAbove = 2.0 * static_cast<double>(kHalf);
  if (value >= kAbove) {
    return std::numeric_limits<T>::max();
  }
  return value <= kLowest ? std::numeric_limits<T>::lowest() : static_cast<T>(value);
}

/// Returns the lowest and highest value of an integer type, including I4 and
/// other narrow types.
int64_t lowestOf(ElementType type);
uint64_t highestOf(ElementType type);

/// Keeps the low bits of integers narrower than a byte (I4, U2 ...), sign- or
/// zero-extended; does not change other types.
void wrapNarrowIntegers(Tensor &tensor);

} // namespace convoy::reference
