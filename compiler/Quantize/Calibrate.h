// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The minimal calibrator: ranges of a float model's values on samples, and a
// quantised model from them. What it writes is what a QDQ exporter writes, so the
// quantize stage needs to know nothing of it.

#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "reference/Datum.h"
#include "llvm/ADT/DenseMap.h"

namespace convoy::quantize {

/// The least and the greatest element of each value of a function, over all samples
/// so far. The function must not change in between.
class Ranges {
public:
  struct Range {
    double low = 0;
    double high = 0;
  };

  /// Runs the reference on one sample, one input per argument.
  mlir::LogicalResult add(mlir::func::FuncOp function, llvm::ArrayRef<reference::Datum> inputs);

  /// Nothing for a value that no sample has reached.
  std::optional<Range> of(mlir::Value value) const;

private:
  void include(mlir::Value value, const reference::Datum &datum);

  llvm::DenseMap<mlir::Value, Range> ranges;
};

/// Puts quantize_linear and dequantize_linear (8 bits, range from the least to the
/// greatest element, zero included) between the layers of a function after the graph
/// stage and behind the last, and makes their weights 8-bit integers, symmetric, one
/// scale per output channel. Values that are concatenated share a scale. Returns the
/// number of layers whose weights were quantised.
int64_t insertQuantization(mlir::func::FuncOp function, const Ranges &ranges);

} // namespace convoy::quantize
