// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packs the weights of conv_bytes.

#include "Kernels/ConvBytes/ByteGroups.h"
#include "Kernels/Kernel.h"
#include <cstring>

using namespace mlir;

namespace convoy::kernels {

int64_t ByteGroupsAttr::physicalElements(ArrayRef<int64_t> shape) const {
  ByteGroups groups(WeightDims(shape, getTransposed()), getOffset());
  return groups.count() * groups.bytes();
}

Tensor ByteGroupsAttr::pack(const Tensor &tensor) const {
  WeightDims dims(tensor.shape(), getTransposed());
  ByteGroups groups(dims, getOffset());
  Tensor result(tensor.type(), {physicalElements(tensor.shape())});
  auto *to = result.mutableData<uint8_t>();
  std::memset(to, 0, result.bytes());
  const auto *from = static_cast<const uint8_t *>(tensor.raw());
  int64_t stepO = getTransposed() ? 1 : dims.i * dims.taps;
  int64_t stepI = getTransposed() ? dims.o : dims.taps;
  for (int64_t output = 0; output < dims.o; ++output) {
    uint8_t *group = to + output / ByteGroups::kChannels * groups.bytes();
    int64_t lane = output % ByteGroups::kChannels;
    int64_t sum = 0;
    for (int64_t tap = 0; tap < dims.taps; ++tap) {
      for (int64_t channel = 0; channel < dims.i; ++channel) {
        uint8_t weight = from[output * stepO + channel * stepI + tap];
        sum += static_cast<int8_t>(weight);
        group[groups.place(lane, tap * dims.i + channel)] = weight;
      }
    }
    if (getOffset() != 0) {
      auto correction = static_cast<int32_t>(-getOffset() * sum); // sums wrap in i32
      std::memcpy(group + lane * sizeof(correction), &correction, sizeof(correction));
    }
  }
  return result;
}

} // namespace convoy::kernels
