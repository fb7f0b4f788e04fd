// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The places of weights in panels. The packing of weight layouts and the emitters use the same
// numbers:
//
//     [panel]( [o][head]  [channel block][tap][step][o][depth] )
//
// A step holds `depth` input channels of all output channels of the panel. The head holds numbers
// per output channel, for example corrections of a zero point.

#pragma once

#include "Kernels/Core/CeilDiv.h"

namespace convoy::kernels {

struct PanelPlaces {
  int64_t o;      // output channels per panel
  int64_t i;      // input channels per block
  int64_t blocks; // of input channels
  int64_t taps;
  int64_t depth;
  int64_t head; // elements per output channel

  PanelPlaces(int64_t channels, int64_t taps, int64_t o, int64_t i, int64_t depth = 1,
              int64_t head = 0)
      : o(o), i(i), blocks(ceilDiv(channels, i)), taps(taps), depth(depth), head(head) {}

  int64_t headElements() const { return head * o; }
  int64_t tapElements() const { return i * o; }
  int64_t blockElements() const { return taps * tapElements(); }
  int64_t panelElements() const { return headElements() + blocks * blockElements(); }
  /// Returns the place of a weight in its panel.
  int64_t place(int64_t channel, int64_t tap, int64_t lane) const {
    int64_t step = ((channel / i) * taps + tap) * (i / depth) + channel % i / depth;
    return headElements() + (step * o + lane) * depth + channel % depth;
  }
};

} // namespace convoy::kernels
