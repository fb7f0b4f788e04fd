// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The largest shapes that any stage has to deal with. They are far beyond what a
// machine can hold; what they bound is the arithmetic on dimensions and the work
// that a hostile model can ask for in a few bytes.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/MathExtras.h"

namespace convoy {

// No framework goes beyond.
constexpr int64_t kMaxRank = 64;
// Keeps byte counts within int64 for every element type.
constexpr int64_t kMaxElements = int64_t(1) << 48;

/// Whether the known dimensions multiply to at most kMaxElements. Zeros are left
/// out: the other dimensions of an empty tensor are numbers to compute with too.
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
