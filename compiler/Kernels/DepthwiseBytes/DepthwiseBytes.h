// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The groups of channels in which depthwise_bytes stores weights and tables.

#pragma once

#include <cstdint>

namespace convoy::kernels {

/// Channels per group of weights and tables: the bytes of an MVE register.
constexpr int64_t kDepthwiseGroup = 16;

/// Returns the place of a channel in a group of a table; see LaneQuartersAttr.
constexpr int64_t laneQuarter(int64_t channel) {
  return channel / 4 + channel % 2 * 8 + channel / 2 % 2 * 4;
}

} // namespace convoy::kernels
