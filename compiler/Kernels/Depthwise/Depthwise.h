// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The depthwise template: depthwise convolution, its cost model and its weight layout. The layout
// stage and the tuner use the model; convoy-kernels-lower-depthwise uses the emitter.

#pragma once

#include "Kernels/Convolution/ConvProblem.h"
#include "Kernels/Kernel.h"
#include "Kernels/Machine.h"
#include "Kernels/Space.h"
#include "Task/Task.h"

namespace convoy::kernels {

/// Returns the configuration with the lowest estimate, or nullopt if the template does not support
/// the problem.
std::optional<ConfigChoice> chooseDepthwise(const ConvProblem &problem, const Machine &machine,
                                            mlir::MLIRContext *context);

/// Returns the search space; chooseDepthwise must give a configuration. The result of
/// chooseDepthwise has the lowest estimate in the space.
Space depthwiseSpace(const ConvProblem &problem, const Machine &machine,
                     mlir::MLIRContext *context);

/// Lowers a kernel function whose configuration is `config`.
mlir::LogicalResult lowerDepthwise(task::KernelOp kernel, const ConvKernel &matched,
                                   DepthwiseAttr config, int64_t vectorBytes, DotForm form);

} // namespace convoy::kernels
