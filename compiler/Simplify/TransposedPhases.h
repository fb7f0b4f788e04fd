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
  int64_t firstTap = 0; // of the taps firstTap, firstTap + step, ... of the kernel
  int64_t taps = 0;     // 0: no tap reads an input, so the results are the bias
  int64_t shift = 0;    // of the input, relative to `low`
  int64_t low = 0;      // input position of tap `firstTap` at the first result, before the shift

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
  int64_t step = 1;    // from one tap of a phase to the next one
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

  /// Returns the cheapest phases of an op with static shapes. Returns nullopt if there would be too
  /// many convolutions, or many more results than the op has.
  static std::optional<TransposedPhases> of(graph::ConvTransposeOp conv);

  /// Returns the phase along an axis of one of the phases of a box, in row-major order.
  const AxisPhase &phaseOf(const PhaseBox &box, size_t axis, int64_t phase) const {
    for (size_t i = axes.size() - 1; i > axis; --i) {
      phase /= box.size[i];
    }
    return axes[axis].phases[box.first[axis] + phase % box.size[axis]];
  }
  /// Returns whether the results of a box are the bias, because no tap reads an input.
  bool isEmpty(const PhaseBox &box) const {
    for (size_t i = 0; i < axes.size(); ++i) {
      if (phaseOf(box, i, 0).taps == 0) {
        return true;
      }
    }
    return false;
  }
  int64_t countConvs() const {
    return llvm::count_if(boxes, [this](const PhaseBox &box) { return !isEmpty(box); });
  }

  /// Returns the weights of one convolution: the taps of each phase, reversed.
  Tensor weightsOf(const Tensor &weights, const PhaseBox &box, int64_t groups) const;
};

} // namespace convoy::simplify
