// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The emitter of the winograd_pixels template.

#pragma once

#include "Kernels/Convolution/ConvProblem.h"
#include "Kernels/Kernel.h"
#include "Task/Task.h"

namespace convoy::kernels {

/// Lowers a kernel function whose configuration is `config`.
mlir::LogicalResult lowerWinogradPixels(task::KernelOp kernel, const ConvKernel &matched,
                                        WinogradPixelsAttr config, int64_t vectorBytes);

} // namespace convoy::kernels
