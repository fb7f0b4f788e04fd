// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds integer ops in place of one quantize_linear: its scale, its type, the
// bounds of the relu or clip before it, and the target's kind of multiplier.

#pragma once

#include "Graph/TypedBuilder.h"
#include "Quantize/Arithmetic.h"
#include "Quantize/Quantized.h"

namespace convoy::quantize {

/// Bounds on the reals, from a relu or clip.
struct Bounds {
  double low;
  double high;
};

/// What it cost to round weights again (FitWeights.cpp).
struct FittingCost {
  int64_t layers = 0;
  double worst = 0; // of the layers: change by norm
};

class IntegerBuilder {
public:
  /// Builds in front of `op`, at its location.
  IntegerBuilder(graph::QuantizeLinearOp op, Scale scale, Bounds bounds,
                 const Arithmetic &arithmetic, FittingCost &cost);

  /// Weights whose sums with an input of this scale are rescaled by a shift alone, where
  /// the target needs that; else the weights themselves. Biases must fit 16 bits then.
  /// Nothing, with a reason, when there is no such shift.
  std::optional<QuantizedWeights> fit(const QuantizedWeights &weights, double inputScale,
                                      llvm::ArrayRef<double> bias, std::string &why);

  const Scale &scale() const { return outScale; }
  ElementType type() const { return outType; }
  const Arithmetic &target() const { return arithmetic; }
  graph::TypedBuilder &graph() { return b; }

  /// sums * factors[channel] / scale in the result's type; one factor, or one per
  /// index of `axis`. Null, with a reason, when a factor is out of range.
  mlir::Value requantize(mlir::Value sums, llvm::ArrayRef<double> factors, int64_t axis,
                         int64_t inputZeroPoint, std::string &why);

  /// The average of windows of `input`, whose sums `sums` has.
  mlir::Value average(mlir::Value sums, const Quantized &input, llvm::ArrayRef<int64_t> kernel,
                      std::string &why);

  /// lhs + sign * rhs.
  mlir::Value add(const Quantized &lhs, const Quantized &rhs, int64_t sign, std::string &why);

  /// Clamps integers that have the result's scale already to its bounds.
  int64_t low() const { return lowBound; }
  int64_t high() const { return highBound; }

private:
  int64_t quantized(double real) const;
  mlir::Value averageByAxis(mlir::Value sums, const Quantized &input,
                            llvm::ArrayRef<int64_t> kernel, std::string &why);

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
