// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// About what one core of the CPU takes for a graph op, to say what a device gains.

#pragma once

#include "mlir/IR/Operation.h"

namespace convoy::place {

/// The larger of two times: products at 16, and bytes read and written at 8, in a
/// nanosecond. That is a core with 256-bit vectors at 2 GHz out of cache; good for an
/// order of magnitude.
double estimateCpuNs(mlir::Operation *op);

} // namespace convoy::place
