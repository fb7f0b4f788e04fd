// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of formats and the encodings of their special values.

#include "Support/FloatFormat.h"

namespace convoy {

FloatFormat formatOf(ElementType type) {
  switch (type) {
  case ElementType::F16:
    return {5, 10, 15, Specials::Ieee};
  case ElementType::BF16:
    return {8, 7, 127, Specials::Ieee};
  case ElementType::F8E4M3FN:
    return {4, 3, 7, Specials::NanAllOnes};
  case ElementType::F8E4M3FNUZ:
    return {4, 3, 8, Specials::NanNegZero};
  case ElementType::F8E5M2:
    return {5, 2, 15, Specials::Ieee};
  case ElementType::F8E5M2FNUZ:
    return {5, 2, 16, Specials::NanNegZero};
  default:
    return {2, 1, 1, Specials::None}; // F4E2M1
  }
}

int FloatFormat::nan() const {
  switch (specials) {
  case Specials::Ieee:
    return topExponent() | 1 << (mantissaBits - 1);
  case Specials::NanAllOnes:
    return signBit() - 1;
  case Specials::NanNegZero:
    return signBit();
  case Specials::None:
    return 0;
  }
  return 0;
}

int FloatFormat::largest() const {
  switch (specials) {
  case Specials::Ieee:
    return topExponent() - 1;
  case Specials::NanAllOnes:
    return signBit() - 2;
  case Specials::NanNegZero:
  case Specials::None:
    return signBit() - 1;
  }
  return 0;
}

int FloatFormat::overflow(bool saturates) const {
  if (saturates || specials == Specials::None) {
    return largest();
  }
  return specials == Specials::Ieee ? topExponent() : nan();
}

} // namespace convoy
