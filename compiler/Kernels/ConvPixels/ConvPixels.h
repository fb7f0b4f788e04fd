// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The conv_pixels template and its cost model: convolution with lanes along pixels, for layers with
// too few channels to fill the vectors of the target.

#pragma once

#include "Kernels/Convolution/ConvProblem.h"
#include "Kernels/Kernel.h"
#include "Kernels/Machine.h"
#include "Kernels/Space.h"
#include "Task/Task.h"

namespace convoy::kernels {

/// Returns the configuration with the lowest estimate, or nullopt if the template does
/// not support the problem or the target.
/// isEpilogueFlat computes `isFlat`.
std::optional<ConfigChoice> chooseConvPixels(const ConvProblem &problem, bool isFlat,
                                             const Machine &machine, mlir::MLIRContext *context);

/// Returns the search space; chooseConvPixels must give a configuration. The result of
/// chooseConvPixels has the lowest estimate in the space.
Space convPixelsSpace(const ConvProblem &problem, bool isFlat, const Machine &machine,
                      mlir::MLIRContext *context);

/// Lowers a kernel function whose configuration is `config`.
mlir::LogicalResult lowerConvPixels(task::KernelOp kernel, const ConvKernel &matched,
                                    ConvPixelsAttr config, int64_t vectorBytes);

} // namespace convoy::kernels
