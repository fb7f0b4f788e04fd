// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The integers of the types of activations.

#pragma once

#include "Support/ElementType.h"

namespace convoy::quantizer {

struct IntegerLimits {
  double lowest = 0, highest = 0;
};

/// `type` is U8, I8 or I16.
inline IntegerLimits limitsOf(ElementType type) {
  switch (type) {
  case ElementType::U8:
    return {0, 255};
  case ElementType::I8:
    return {-128, 127};
  default:
    return {-32768, 32767};
  }
}

} // namespace convoy::quantizer
