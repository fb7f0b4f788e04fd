// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes the outputs of a quantized model comparable byte for byte. Integers are equal on every
// target, but floats that follow them, such as a softmax, may round differently.

#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace convoy::check {

/// Replaces each float output that depends on exactly one dequantized tensor, through
/// element-wise ops, data movement, reductions and softmax only, by that tensor.
void returnExactValues(mlir::func::FuncOp function);

} // namespace convoy::check
