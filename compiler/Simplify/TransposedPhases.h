// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The phases of a transposed convolution and their distribution over convolutions.
// LowerTransposedConvs.cpp builds the convolutions.

#pragma once

#include "Graph/Graph.h"
#include <optional>

namespace convoy::simplify {

/// The results along one axis whose positions have the same remainder modulo the stride.
struct AxisPhase {
  int64_t firstTap; // of the taps firstTap, firstTap + stride, ... of the kernel
  int64_t taps;
  int64_t shift; // of the input, relative to `low`
  int64_t low;   // input position of tap `firstTap` at the first result, before the shift

  bool operator==(const AxisPhase &other) const {
    return taps == other.taps && shift == other.shift && low == other.low;
  }
};

/// The pads of a convolution along one axis. A negative pad removes inputs.
struct AxisWindow {
  int64_t padBegin, padEnd;
};

/// One spatial axis of a transposed convolution, as one phase per step of the stride.
struct PhaseAxis {
  int64_t input;
  int64_t positions;   // results per phase
  int64_t surplus = 0; // computed results before the first one
  int64_t dilation = 1;
  llvm::SmallVector<AxisPhase> phases;

  int64_t stride() const { return static_cast<int64_t>(phases.size()); }
  AxisWindow windowOf(const AxisPhase &phase) const {
    return {dilation * (phase.taps - 1) + phase.shift - phase.low,
            positions + phase.low - phase.shift - input};
  }
};

/// Adjacent phases along each axis that one convolution computes.
struct PhaseBox {
  llvm::SmallVector<int64_t> first, size;

  int64_t count() const {
    int64_t product = 1;
    for (int64_t n : size) {
      product *= n;
    }
    return product;
  }
};

struct TransposedPhases {
  llvm::SmallVector<PhaseAxis> axes;
  /// The convolutions, such that their channels in order are all phases in row-major order.
  llvm::SmallVector<PhaseBox> boxes;

  /// Returns the cheapest phases of an op with static shapes. Returns nullopt if a phase has no tap
  /// or no input, or if there would be too many convolutions.
  static std::optional<TransposedPhases> of(graph::ConvTransposeOp conv);

  /// Returns the weights of one convolution: the taps of each phase, reversed.
  Tensor weightsOf(const Tensor &weights, const PhaseBox &box, int64_t groups) const;
};

} // namespace convoy::simplify
