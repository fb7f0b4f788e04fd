// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lowering of kernels with the configuration `#kernel.recurrent`.

#pragma once

#include "Kernels/Kernel.h"
#include "Kernels/Machine.h"
#include "Kernels/Recurrent/ScanKernel.h"
#include "Task/Task.h"

namespace convoy::kernels {

mlir::LogicalResult lowerRecurrent(task::KernelOp kernel, const ScanKernel &scan,
                                   RecurrentAttr config, const Machine &machine);

} // namespace convoy::kernels
