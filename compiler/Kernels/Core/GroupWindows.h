// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The input channels that a panel of output channels reads if a kernel computes the groups of a
// convolution as one. The weights between groups are zero. The packing of weights, the emitter and
// the cost model use the same windows, in blocks of input channels:
//
//     groups of 24 channels, panels of 32 output channels, blocks of 16 input channels
//
//     output channels    0 .. 31    32 .. 63    64 .. 95
//     groups             0 and 1    1 and 2     2 and 3
//     input channels     0 .. 47    24 .. 71    48 .. 95
//     blocks             0 .. 2     1 .. 4      3 .. 5

#pragma once

#include "Kernels/Convolution/ConvProblem.h"
#include "Kernels/Core/CeilDiv.h"

namespace convoy::kernels {

struct GroupWindows {
  int64_t groups;
  int64_t inputs, outputs; // channels of a group
  int64_t o;               // output channels per panel
  int64_t i;               // input channels per block

  int64_t panels() const { return ceilDiv(groups * outputs, o); }
  /// Returns the first block of the window of a panel.
  int64_t low(int64_t panel) const { return panel * o / outputs * inputs / i; }
  /// Returns the block after the last one.
  int64_t high(int64_t panel) const {
    int64_t channels = std::min((panel + 1) * o, groups * outputs);
    return ceilDiv(ceilDiv(channels, outputs) * inputs, i);
  }
  /// Returns the blocks of all windows.
  int64_t blocks() const {
    int64_t sum = 0;
    for (int64_t panel = 0; panel < panels(); ++panel) {
      sum += high(panel) - low(panel);
    }
    return sum;
  }
  /// Returns the blocks of the longest window.
  int64_t most() const {
    int64_t most = 0;
    for (int64_t panel = 0; panel < panels(); ++panel) {
      most = std::max(most, high(panel) - low(panel));
    }
    return most;
  }
};

/// Returns the windows of panels of `o` output channels and blocks of `i` input channels.
inline GroupWindows windowsOf(const ConvProblem &p, int64_t o, int64_t i) {
  return {p.groups, p.inputChannels, p.outputChannels, o, i};
}

/// Returns whether a convolution has groups that are not whole blocks of channels.
inline bool cutsBlocks(const ConvProblem &p, int64_t block) {
  return p.groups > 1 && (p.inputChannels % block != 0 || p.outputChannels % block != 0);
}

/// Returns the problem with all groups as one.
inline ConvProblem joinGroups(const ConvProblem &problem) {
  ConvProblem joined = problem;
  joined.groups = 1;
  joined.inputChannels *= problem.groups;
  joined.outputChannels *= problem.groups;
  return joined;
}

} // namespace convoy::kernels
