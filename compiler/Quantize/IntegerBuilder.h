// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the integer ops that replace one quantize_linear. Holds its scale and
// type, the bounds of the relu or clip before it, and the arithmetic of the target.

#pragma once

#include "Graph/TypedBuilder.h"
#include "Quantize/Arithmetic.h"
#include "Quantize/Quantized.h"

namespace convoy::quantize {

/// Bounds on the real values, from a relu or clip.
struct Bounds {
  double low;
  double high;
};

/// The cost of rounding weights again (FitWeights.cpp).
struct FittingCost {
  int64_t layers = 0;
  double worst = 0; // largest relative change of a layer's weights
};

class IntegerBuilder {
public:
  /// Builds before `op`, at its location.
  IntegerBuilder(graph::QuantizeLinearOp op, Scale scale, Bounds bounds,
                 const Arithmetic &arithmetic, FittingCost &cost);

  /// Returns weights whose sums with an input of this scale are rescaled by a shift
  /// alone if the target requires this, else the unchanged weights. The bias must
  /// then fit 16 bits. Returns nullopt and sets `why` if no shift is suitable.
  std::optional<QuantizedWeights> fit(const QuantizedWeights &weights, double inputScale,
                                      llvm::ArrayRef<double> bias, std::string &why);

  const Scale &scale() const { return outScale; }
  ElementType type() const { return outType; }
  const Arithmetic &target() const { return arithmetic; }
  graph::TypedBuilder &graph() { return b; }

  /// Returns sums * factors[channel] / scale in the result's type, with one factor
  /// or one per index of `axis`. The sums are below 2^sumBits in magnitude; beyond 31
  /// bits, the multipliers have fewer bits (requantize in Graph/Integer.td). Returns
  /// null and sets `why` if a factor is out of range.
  mlir::Value requantize(mlir::Value sums, llvm::ArrayRef<double> factors, int64_t axis,
                         int64_t inputZeroPoint, std::string &why, int64_t sumBits = 31);

  /// Returns the number that is subtracted from the elements of `input` in the sums of
  /// an average over this window. Padding counts as this number.
  int64_t averageOrigin(const Quantized &input, llvm::ArrayRef<int64_t> kernel,
                        bool isPadded) const;

  /// Returns the average of windows of `input`; `sums` holds the sums of the windows of
  /// elements minus averageOrigin().
  mlir::Value average(mlir::Value sums, const Quantized &input, llvm::ArrayRef<int64_t> kernel,
                      bool isPadded, std::string &why);

  /// Returns lhs + sign * rhs.
  mlir::Value add(const Quantized &lhs, const Quantized &rhs, int64_t sign, std::string &why);

  /// The bounds for clamping integers that already have the result's scale.
  int64_t low() const { return lowBound; }
  int64_t high() const { return highBound; }

private:
  int64_t quantized(double real) const;
  bool roundsByAxis(const Quantized &input, llvm::ArrayRef<int64_t> kernel, bool isPadded) const;
  mlir::Value averageByAxis(mlir::Value sums, const Quantized &input,
                            llvm::ArrayRef<int64_t> kernel, std::string &why);
  mlir::Value emitAdd(const Quantized &lhs, const Quantized &rhs, int64_t lhsMultiplier,
                      int64_t rhsMultiplier, int64_t shift);
  mlir::Value addShifted(const Quantized &lhs, const Quantized &rhs, int64_t sign,
                         std::string &why);

  mlir::OpBuilder builder;
  graph::TypedBuilder b;
  Scale outScale;
  ElementType outType;
  Arithmetic arithmetic;
  FittingCost &cost;
  int64_t lowBound;
  int64_t highBound;
};

} // namespace convoy::quantize
