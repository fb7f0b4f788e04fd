// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks a depthwise_bytes configuration in isolation, and packs weights and tables.

#include "Kernels/CheckNumbers.h"
#include "Kernels/Core/CeilDiv.h"
#include "Kernels/DepthwiseBytes/DepthwiseBytes.h"
#include "Kernels/Kernel.h"
#include <cstring>
#include <numeric>
#include <optional>

using namespace mlir;

namespace convoy::kernels {
namespace {

/// The sizes of weights C x 1 x spatial in the layout depthwise_groups.
struct DepthwiseGroups {
  DepthwiseGroups(ArrayRef<int64_t> shape, int64_t offset)
      : channels(shape.front()),
        taps(std::accumulate(shape.begin() + 1, shape.end(), int64_t(1), std::multiplies<>())),
        first(offset == 0 ? 0 : kDepthwiseGroup * static_cast<int64_t>(sizeof(int32_t))) {}

  int64_t lanes() const { return ceilDiv(channels, kDepthwiseGroup) * kDepthwiseGroup; }
  int64_t bytes() const { return first + taps * kDepthwiseGroup; }
  int64_t allBytes() const { return ceilDiv(channels, kDepthwiseGroup) * bytes(); }

  int64_t channels, taps;
  int64_t first; // bytes of the corrections at the start of a group
};

/// Returns the channel of a lane, or nullopt for padding. If several pixels fit in a vector, the
/// channels repeat, so that a vector can hold several pixels.
std::optional<int64_t> channelOf(int64_t lane, int64_t channels) {
  if (lane < channels) {
    return lane;
  }
  return kDepthwiseGroup % channels == 0 ? std::optional<int64_t>(lane % channels) : std::nullopt;
}

} // namespace

LogicalResult DepthwiseBytesAttr::verify(EmitError emitError, int64_t channels, bool /*wide*/) {
  if (channels != kDepthwiseGroup) {
    return emitError() << "expects groups of " << kDepthwiseGroup << " channels, got " << channels;
  }
  return success();
}

int64_t DepthwiseGroupsAttr::physicalElements(ArrayRef<int64_t> shape) const {
  return DepthwiseGroups(shape, getOffset()).allBytes();
}

Tensor DepthwiseGroupsAttr::pack(const Tensor &tensor) const {
  DepthwiseGroups groups(tensor.shape(), getOffset());
  Tensor result(tensor.type(), {groups.allBytes()});
  auto *to = result.mutableData<uint8_t>();
  std::memset(to, 0, result.bytes());
  const auto *from = static_cast<const uint8_t *>(tensor.raw());
  for (int64_t lane = 0; lane < groups.lanes(); ++lane) {
    std::optional<int64_t> channel = channelOf(lane, groups.channels);
    if (!channel) {
      continue;
    }
    uint8_t *group = to + lane / kDepthwiseGroup * groups.bytes();
    int64_t place = lane % kDepthwiseGroup;
    int64_t sum = 0;
    for (int64_t tap = 0; tap < groups.taps; ++tap) {
      uint8_t weight = from[*channel * groups.taps + tap];
      sum += static_cast<int8_t>(weight);
      group[groups.first + tap * kDepthwiseGroup + place] = weight;
    }
    if (getOffset() != 0) {
      auto correction = static_cast<int32_t>(-getOffset() * sum);
      std::memcpy(group + laneQuarter(place) * sizeof(correction), &correction, sizeof(correction));
    }
  }
  return result;
}

int64_t LaneQuartersAttr::physicalElements(ArrayRef<int64_t> shape) const {
  int64_t entries = std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<>());
  return ceilDiv(entries, kDepthwiseGroup) * kDepthwiseGroup;
}

Tensor LaneQuartersAttr::pack(const Tensor &tensor) const {
  Tensor result(tensor.type(), {physicalElements(tensor.shape())});
  auto *entries = result.mutableData<int32_t>();
  std::memset(entries, 0, result.bytes());
  for (int64_t lane = 0; lane < result.size(); ++lane) {
    std::optional<int64_t> channel = channelOf(lane, tensor.size());
    int64_t place = lane / kDepthwiseGroup * kDepthwiseGroup + laneQuarter(lane % kDepthwiseGroup);
    if (channel) {
      int64_t entry = tensor.asInt(*channel);
      entries[place] = static_cast<int32_t>(getMinuend() != 0 ? getMinuend() - entry : entry);
    }
  }
  return result;
}

} // namespace convoy::kernels
