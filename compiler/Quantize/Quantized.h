// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Represents quantized values for the passes of this stage, and converts real
// factors to integer multipliers.

#pragma once

#include "Graph/Constant.h"
#include "Graph/Graph.h"
#include "Quantize/Passes.h"
#include <optional>

namespace convoy::quantize {

/// The real value of an integer is (value - zeroPoint) * scale.
struct Scale {
  double scale = 1;
  int64_t zeroPoint = 0;

  bool operator==(const Scale &other) const {
    return scale == other.scale && zeroPoint == other.zeroPoint;
  }
};

/// A tensor of integers with one scale.
struct Quantized {
  mlir::Value value;
  Scale scale;
};

/// Constant weights with one scale and zero point, or one per index of `axis`.
struct QuantizedWeights {
  mlir::Value value;
  llvm::SmallVector<double> scales;
  llvm::SmallVector<int64_t> zeroPoints;
  int64_t axis = 0;

  double scaleOf(int64_t channel) const {
    return scales[scales.size() == 1 ? 0 : static_cast<size_t>(channel)];
  }
  int64_t zeroPointOf(int64_t channel) const {
    return zeroPoints[zeroPoints.size() == 1 ? 0 : static_cast<size_t>(channel)];
  }
};

/// Returns the integers of at most 16 bits that a dequantize_linear with one
/// constant scale reads.
std::optional<Quantized> quantizedValue(mlir::Value value);

/// Returns the constant integers of at most 8 bits that a dequantize_linear reads.
std::optional<QuantizedWeights> quantizedWeights(mlir::Value value);

/// Returns the one constant scale of a quantize_linear to integers of at most 16
/// bits.
std::optional<Scale> scaleOf(graph::QuantizeLinearOp op);

/// Returns the value of a constant of one element.
std::optional<double> constantScalar(mlir::Value value);

/// Returns the real values of a constant, or of a dequantize_linear of a constant.
std::optional<llvm::SmallVector<double>> constantReals(mlir::Value value);

/// A factor of multiplier / 2^shift.
struct Multiplier {
  int64_t multiplier = 0;
  int64_t shift = 1;
};

/// Returns the closest multiplier of `bits` bits. Returns nullopt if the factor is
/// negative or too large for any shift of 1 or more.
std::optional<Multiplier> multiplierFor(double factor, int64_t bits);

/// Returns the lowest and the highest value of an integer type.
int64_t lowestOf(ElementType type);
int64_t highestOf(ElementType type);

/// Returns the bits of the elements of a tensor.
int64_t bitsOf(mlir::Value value);

/// Returns the largest magnitude of an integer of this type minus the zero point.
int64_t reachOf(ElementType type, int64_t zeroPoint);
int64_t reachOf(const Quantized &x);

} // namespace convoy::quantize
