// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The estimated time of element-wise ops inside a kernel.

#pragma once

#include "mlir/IR/Operation.h"

namespace convoy::kernels {

/// Estimated cycles of an addition, a product, a load or a store of a vector.
constexpr double kSimpleCycles = 0.5;

/// Returns the estimated cycles of an element-wise op per vector of f32, without loads and stores.
double cyclesPerVector(mlir::Operation *op);

} // namespace convoy::kernels
