// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Estimates the time of a graph op on one CPU core, for comparison with a device.

#pragma once

#include "mlir/IR/Operation.h"

namespace convoy::place {

/// Returns the larger of two times in nanoseconds: products at 16 per ns, and bytes read and
/// written at 8 per ns. This models a core with 256-bit vectors at 2 GHz with its data outside of
/// the cache, and is accurate to an order of magnitude.
double estimateCpuNs(mlir::Operation *op);

} // namespace convoy::place
