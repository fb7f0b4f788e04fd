// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The places of weights in the layout byte_groups.

#pragma once

#include "Kernels/Core/CeilDiv.h"
#include "Kernels/Core/WeightDims.h"

namespace convoy::kernels {

struct ByteGroups {
  /// Channels of a group: the sums that MVE rescales at once.
  static constexpr int64_t kChannels = 4;
  /// Bytes of a channel in a block: the width of an MVE register.
  static constexpr int64_t kBlock = 16;

  ByteGroups(const WeightDims &dims, int64_t offset)
      : outputs(dims.o), depth(dims.i * dims.taps),
        first(offset == 0 ? 0 : kChannels * static_cast<int64_t>(sizeof(int32_t))) {}

  int64_t count() const { return ceilDiv(outputs, kChannels); }
  int64_t bytes() const { return first + ceilDiv(depth, kBlock) * kBlock * kChannels; }
  /// Returns the place of a weight in its group.
  int64_t place(int64_t lane, int64_t k) const {
    return first + (k / kBlock * kChannels + lane) * kBlock + k % kBlock;
  }

  int64_t outputs;
  int64_t depth;
  int64_t first; // bytes of the corrections at the start of a group
};

} // namespace convoy::kernels
