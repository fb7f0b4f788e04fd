// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of 8-bit matrices, which the import rows of quantization ops share.

#pragma once

#include "Import/NodeContext.h"

namespace convoy::import {

/// Reshapes a vector of one element to a scalar, because exporters write
/// either. Returns other values, and null, unchanged.
mlir::Value scalarIfSingle(NodeContext &n, mlir::Value value);

/// Returns x - zeroPoint in i32. A null zero point is 0.
mlir::Value centered(NodeContext &n, mlir::Value x, mlir::Value zeroPoint);

/// Reshapes a vector with one entry per row of a matrix to a column. Other
/// shapes broadcast unchanged.
mlir::Value perRow(NodeContext &n, mlir::Value value);

/// Returns the i32 product of two 8-bit matrices minus their zero points, which may be null. 8-bit
/// weights stay 8 bits. Operands that byte_matmul does not support are converted to i32 first.
mlir::Value multiplyBytes(NodeContext &n, mlir::Value a, mlir::Value aZero, mlir::Value b,
                          mlir::Value bZero);

/// A tensor that is quantized with the range of its elements.
struct DynamicBytes {
  mlir::Value quantized, scale, zeroPoint;
};

DynamicBytes quantizeDynamically(NodeContext &n, mlir::Value x);

} // namespace convoy::import
