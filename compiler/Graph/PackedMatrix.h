// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constant matrices of narrow integers with a scale per block, which templates read packed. The
// passes that fold constants leave them until the fusion stage knows whether a template does.

#pragma once

#include "mlir/IR/Operation.h"

namespace convoy::graph {

/// Returns whether the op is a dequantize_linear of constants with blocks, and only products read
/// its result, each as its second matrix.
bool isPackedMatrix(mlir::Operation *op);

} // namespace convoy::graph
