// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts the arithmetic operations and the bytes of a model, independent of kernels and target. The
// report of a compile contains them; `convoy bench` divides them by the measured times.

#pragma once

#include "Task/Task.h"
#include "mlir/IR/BuiltinOps.h"

namespace convoy {

/// Returns the floating-point operations of the convolutions and matrix products below an op: two
/// per multiply-add of the direct algorithm, even if the kernel uses an algorithm with fewer.
/// Other ops count as 0. The body of a scan counts once per step, the body of a loop once.
double flopsIn(mlir::Operation *root);

/// Returns how often an op runs: the product of the steps of the scans around it.
double runsOf(mlir::Operation *op);

/// Returns the bytes that one run of a kernel reads and writes, each tensor once.
double bytesOf(task::RunOp run);

} // namespace convoy
