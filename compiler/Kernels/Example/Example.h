// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The example template: its emitter. ExampleTemplate.cpp contains the other parts.

#pragma once

#include "Kernels/Kernel.h"
#include "Kernels/Machine.h"
#include "Task/Task.h"

namespace convoy::kernels {

/// Lowers a kernel function whose configuration is `config`.
mlir::LogicalResult lowerExample(task::KernelOp kernel, ExampleAttr config, const Machine &machine);

} // namespace convoy::kernels
