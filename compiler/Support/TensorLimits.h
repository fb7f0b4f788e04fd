// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The largest shapes that a stage must support. The limits exceed the memory of
// any machine. They keep arithmetic on dimensions within int64 and bound the
// work that a small hostile model can cause.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/MathExtras.h"

namespace convoy {

// No framework supports a higher rank.
constexpr int64_t kMaxRank = 64;
// Keeps byte counts within int64 for every element type.
constexpr int64_t kMaxElements = int64_t(1) << 48;

/// Returns whether the product of the known dimensions is at most kMaxElements.
/// Skips zeros, because arithmetic also uses the other dimensions of an empty
/// tensor.
inline bool isWithinElementLimit(llvm::ArrayRef<int64_t> shape) {
  int64_t product = 1;
  for (int64_t dim : shape) {
    if (dim > 0 && (llvm::MulOverflow(product, dim, product) || product > kMaxElements)) {
      return false;
    }
  }
  return true;
}

} // namespace convoy
