// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Estimates the time of a lowered kernel over its whole range. The bands stage weighs bands with
// it, and the schedule stage uses it for kernels without a measured time.

#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace convoy::bands {

/// Returns the maximum of the computation time and the time of the memory traffic.
double estimateNs(mlir::func::FuncOp kernel);

/// Returns the computation time with all memory in the first-level cache.
double estimateComputeNs(mlir::func::FuncOp kernel);

} // namespace convoy::bands
