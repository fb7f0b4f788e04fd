// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the integer lowerings of single layers. Each function takes the
// floating-point value before a quantize_linear (without relu or clip). It returns
// the integers that replace the value, or returns null and sets `why`.

#pragma once

#include "Quantize/IntegerBuilder.h"

namespace convoy::quantize {

using LayerLowering = mlir::Value (*)(mlir::Value, IntegerBuilder &, std::string &);

// Convolutions, matrix products and pools (LowerSums.cpp).
mlir::Value lowerLayer(mlir::Value value, IntegerBuilder &b, std::string &why);
mlir::Value lowerAverage(mlir::Value value, IntegerBuilder &b, std::string &why);

// Ops on two quantized operands, rescaling, concats and tables (LowerElements.cpp).
mlir::Value lowerBinary(mlir::Value value, IntegerBuilder &b, std::string &why);
mlir::Value lowerRescale(mlir::Value value, IntegerBuilder &b, std::string &why);
mlir::Value lowerConcat(mlir::Value value, IntegerBuilder &b, std::string &why);
mlir::Value lowerTable(mlir::Value value, IntegerBuilder &b, std::string &why);

// LowerNormalization.cpp, LowerByteNormalization.cpp, LowerSoftmax.cpp, LowerQLinear.cpp.
mlir::Value lowerNormalization(mlir::Value value, IntegerBuilder &b, std::string &why);
mlir::Value lowerByteNormalization(mlir::Value value, IntegerBuilder &b, std::string &why);
mlir::Value lowerSoftmax(mlir::Value value, IntegerBuilder &b, std::string &why);
mlir::Value lowerQLinear(mlir::Value value, IntegerBuilder &b, std::string &why);

/// The exact sums of a convolution or matrix product with quantized operands, and
/// the scale of the sums: one, or one per index of `axis`. The sums are below 2^bits
/// in magnitude; their type is i64 if `bits` exceeds 31.
struct Sums {
  mlir::Value value;
  llvm::SmallVector<double> steps;
  int64_t axis;
  int64_t bits;
};

/// Returns the sums of a floating-point convolution or matrix product, including
/// biases. Returns nullopt and sets `why` if it has no integer form. A non-null
/// `fit` may round weights.
std::optional<Sums> sumsOf(mlir::Value value, graph::TypedBuilder &b, std::string &why,
                           IntegerBuilder *fit = nullptr);

} // namespace convoy::quantize
