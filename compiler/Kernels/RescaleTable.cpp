// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packs the biases, multipliers and shifts that byte ops read.

#include "Kernels/Kernel.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;

namespace convoy::kernels {

int64_t RescaleTableAttr::physicalElements(ArrayRef<int64_t> shape) const {
  int64_t entries = std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<>());
  return llvm::divideCeilSigned(entries, getLanes()) * getLanes();
}

Tensor RescaleTableAttr::pack(const Tensor &tensor) const {
  Tensor result(tensor.type(), {physicalElements(tensor.shape())});
  auto *entries = result.mutableData<int32_t>();
  bool isScalar = tensor.size() == 1;
  for (int64_t i = 0; i < result.size(); ++i) {
    int64_t entry = isScalar ? tensor.asInt(0) : i < tensor.size() ? tensor.asInt(i) : 0;
    bool isStored = isScalar || i < tensor.size();
    entries[i] = static_cast<int32_t>(isStored && getMinuend() != 0 ? getMinuend() - entry : entry);
  }
  return result;
}

} // namespace convoy::kernels
