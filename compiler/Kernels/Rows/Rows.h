// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The emitter of the template `rows`. RowProblem.h describes the kernels, RowsTemplate.cpp contains
// the cost model and the search space.

#pragma once

#include "Kernels/Kernel.h"
#include "Kernels/Machine.h"
#include "Kernels/Rows/RowProblem.h"
#include "Task/Task.h"

namespace convoy::kernels {

/// Lowers a kernel function whose configuration is `config`.
mlir::LogicalResult lowerRows(task::KernelOp kernel, const RowProblem &problem, RowsAttr config,
                              const Machine &machine);

} // namespace convoy::kernels
