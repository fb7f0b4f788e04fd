// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lowering of kernels with the configuration `#kernel.recurrent`.

#pragma once

#include "Kernels/Machine.h"
#include "Task/Task.h"

namespace convoy::kernels {

mlir::LogicalResult lowerRecurrent(task::KernelOp kernel, RecurrentAttr config,
                                   const Machine &machine);

} // namespace convoy::kernels
