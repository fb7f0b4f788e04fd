// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The encodings of the floats with at most 16 bits. SmallFloat.cpp converts
// single values with them, and the kernels emit conversions from them.

#pragma once

#include "Support/ElementType.h"

namespace convoy {

/// The meaning of the all-ones exponent and of negative zero.
enum class Specials {
  Ieee,       // infinities and NaNs at the top exponent
  NanAllOnes, // no infinity; NaN is exponent and mantissa all ones ("FN")
  NanNegZero, // no infinity, no negative zero; NaN is its encoding ("FNUZ")
  None,       // neither infinity nor NaN
};

/// An encoding with a sign and a mantissa; f8E8M0 has neither.
struct FloatFormat {
  int exponentBits;
  int mantissaBits;
  int bias;
  Specials specials;

  int signShift() const { return exponentBits + mantissaBits; }
  int signBit() const { return 1 << signShift(); }
  /// Returns the encoding of the top exponent with mantissa 0.
  int topExponent() const { return ((1 << exponentBits) - 1) << mantissaBits; }
  /// Returns the encoding of NaN; 0 if the format has none.
  int nan() const;
  /// Returns the encoding of the largest finite magnitude.
  int largest() const;
  /// Returns the encoding of a magnitude beyond the largest.
  int overflow(bool saturates) const;
};

/// Returns the format of a floating-point type of at most 16 bits other than
/// f8E8M0.
FloatFormat formatOf(ElementType type);

} // namespace convoy
