// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quantised values as the passes of this stage see them, and real factors as
// integer multipliers.

#pragma once

#include "Graph/Constant.h"
#include "Graph/Graph.h"
#include "Quantize/Passes.h"
#include <optional>

namespace convoy::quantize {

/// What integers stand for: (value - zeroPoint) * scale.
struct Scale {
  double scale = 1;
  int64_t zeroPoint = 0;

  bool operator==(const Scale &other) const {
    return scale == other.scale && zeroPoint == other.zeroPoint;
  }
};

/// A tensor of integers under one scale.
struct Quantized {
  mlir::Value value;
  Scale scale;
};

/// Constant weights, with one scale or one per index of `axis`.
struct QuantizedWeights {
  mlir::Value value;
  llvm::SmallVector<double> scales;
  int64_t zeroPoint = 0;
  int64_t axis = 0;

  double scaleOf(int64_t channel) const {
    return scales[scales.size() == 1 ? 0 : static_cast<size_t>(channel)];
  }
};

/// The integers of at most 16 bits behind a dequantize_linear with one constant
/// scale.
std::optional<Quantized> quantizedValue(mlir::Value value);

/// The constant 8-bit integers behind a dequantize_linear whose zero points agree.
std::optional<QuantizedWeights> quantizedWeights(mlir::Value value);

/// The one constant scale of a quantize_linear to integers of at most 16 bits.
std::optional<Scale> scaleOf(graph::QuantizeLinearOp op);

/// The number in a constant of one element.
std::optional<double> constantScalar(mlir::Value value);

/// Real numbers of a constant, or of a dequantize_linear of a constant.
std::optional<llvm::SmallVector<double>> constantReals(mlir::Value value);

/// multiplier / 2^shift.
struct Multiplier {
  int64_t multiplier = 0;
  int64_t shift = 1;
};

/// The nearest multiplier of `bits` bits; nothing for a factor too large for any
/// shift of 1 or more, or negative.
std::optional<Multiplier> multiplierFor(double factor, int64_t bits);

/// The lowest and the highest value of an integer type.
int64_t lowestOf(ElementType type);
int64_t highestOf(ElementType type);

} // namespace convoy::quantize
