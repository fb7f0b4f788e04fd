// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lowering of the attention template. Attention.td documents the loops.

#pragma once

#include "Kernels/Attention/AttentionProblem.h"
#include "Kernels/Kernel.h"
#include "Kernels/Machine.h"
#include "Task/Task.h"

namespace convoy::kernels {

/// Returns the number of vectors of a result row that a tile of the second product computes at
/// once: as many as leave registers for the operands.
int64_t columnVectors(int64_t rows, int64_t vectors, const Machine &machine);

/// Lowers a kernel function whose configuration is `config`.
mlir::LogicalResult lowerAttention(task::KernelOp kernel, const AttentionProblem &problem,
                                   AttentionAttr config, const Machine &machine);

} // namespace convoy::kernels
