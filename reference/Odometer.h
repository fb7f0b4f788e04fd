// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Iterates over all index tuples of a shape, last dimension fastest.

#pragma once

#include "Support/Tensor.h"

namespace convoy::reference {

/// Returns the index tuple of a flat row-major position.
inline Shape unflatten(int64_t flat, llvm::ArrayRef<int64_t> shape) {
  Shape index(shape.size());
  for (size_t i = shape.size(); i-- > 0;) {
    index[i] = flat % shape[i];
    flat /= shape[i];
  }
  return index;
}

/// Advances to the next index tuple; returns false after the last one.
inline bool advance(llvm::MutableArrayRef<int64_t> index, llvm::ArrayRef<int64_t> shape) {
  for (size_t i = shape.size(); i-- > 0;) {
    if (++index[i] < shape[i]) {
      return true;
    }
    index[i] = 0;
  }
  return false;
}

/// Returns the row-major distance in elements between adjacent positions of
/// each dimension.
inline Shape stridesOf(llvm::ArrayRef<int64_t> shape) {
  Shape strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) {
    strides[i - 1] = strides[i] * shape[i];
  }
  return strides;
}

inline int64_t product(llvm::ArrayRef<int64_t> values) {
  int64_t result = 1;
  for (int64_t value : values) {
    result *= value;
  }
  return result;
}

} // namespace convoy::reference
