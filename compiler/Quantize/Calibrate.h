// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The calibrator: computes the ranges of a floating-point model's values on samples
// and quantises the model. It inserts the same ops as a QDQ exporter, so the
// quantize stage does not depend on it.

#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "reference/Datum.h"
#include "llvm/ADT/DenseMap.h"

namespace convoy::quantize {

/// The smallest and largest element of each value of a function over all samples so
/// far. The function must not change between samples.
class Ranges {
public:
  struct Range {
    double low = 0;
    double high = 0;
  };

  /// Runs the reference interpreter on one sample, which has one input per
  /// argument.
  mlir::LogicalResult add(mlir::func::FuncOp function, llvm::ArrayRef<reference::Datum> inputs);

  /// Returns nullopt for a value that no sample has reached.
  std::optional<Range> of(mlir::Value value) const;

private:
  void include(mlir::Value value, const reference::Datum &datum);

  llvm::DenseMap<mlir::Value, Range> ranges;
};

/// Inserts quantize_linear and dequantize_linear between the layers of a function
/// after the graph stage and after the last layer. Activations have 8 bits; their
/// range is the calibrated minimum to maximum and includes zero. Weights become
/// symmetric 8-bit integers with one scale per output channel. Concatenated values
/// share a scale. Returns the number of layers whose weights were quantised.
int64_t insertQuantization(mlir::func::FuncOp function, const Ranges &ranges);

} // namespace convoy::quantize
