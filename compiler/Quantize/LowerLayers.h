// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer forms of single layers. Each takes the float value in front of a
// quantize_linear (without relu or clip) and gives the integers that replace that,
// or null with a reason why there is no integer form.

#pragma once

#include "Quantize/IntegerBuilder.h"

namespace convoy::quantize {

using LayerLowering = mlir::Value (*)(mlir::Value, IntegerBuilder &, std::string &);

// Convolutions, products and pools (LowerSums.cpp).
mlir::Value lowerLayer(mlir::Value value, IntegerBuilder &b, std::string &why);
mlir::Value lowerAverage(mlir::Value value, IntegerBuilder &b, std::string &why);

// Two quantised operands, rescaling, concats, tables (LowerElements.cpp).
mlir::Value lowerBinary(mlir::Value value, IntegerBuilder &b, std::string &why);
mlir::Value lowerRescale(mlir::Value value, IntegerBuilder &b, std::string &why);
mlir::Value lowerConcat(mlir::Value value, IntegerBuilder &b, std::string &why);
mlir::Value lowerTable(mlir::Value value, IntegerBuilder &b, std::string &why);

// LowerNormalization.cpp, LowerSoftmax.cpp, LowerQLinear.cpp.
mlir::Value lowerNormalization(mlir::Value value, IntegerBuilder &b, std::string &why);
mlir::Value lowerSoftmax(mlir::Value value, IntegerBuilder &b, std::string &why);
mlir::Value lowerQLinear(mlir::Value value, IntegerBuilder &b, std::string &why);

/// Exact sums of a convolution or product with quantised operands, and the real
/// number that one step stands for, one or one per index of `axis`.
struct Sums {
  mlir::Value value;
  llvm::SmallVector<double> steps;
  int64_t axis;
};

/// The sums behind a float convolution or product, biases included; nothing, with
/// a reason, when it has no integer form. `fit`, when there is one, may round weights.
std::optional<Sums> sumsOf(mlir::Value value, graph::TypedBuilder &b, std::string &why,
                           IntegerBuilder *fit = nullptr);

} // namespace convoy::quantize
