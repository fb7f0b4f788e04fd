// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dimensions of a weight tensor as the packing of weight layouts sees them.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>

namespace convoy::kernels {

/// Output channels, input channels and taps. If `transposed` is set, the tensor is the I x O matrix
/// of a product.
struct WeightDims {
  int64_t o, i, taps = 1;

  WeightDims(llvm::ArrayRef<int64_t> shape, bool transposed)
      : o(shape[transposed ? 1 : 0]), i(shape[transposed ? 0 : 1]) {
    for (int64_t size : shape.drop_front(2)) {
      taps *= size;
    }
  }
};

} // namespace convoy::kernels
