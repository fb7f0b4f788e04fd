// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pool_pixels template and its cost model: max pools of planar tensors with lanes along the
// pixels of several rows, for targets with long vectors.

#pragma once

#include "Kernels/Convolution/ConvProblem.h"
#include "Kernels/Kernel.h"
#include "Kernels/Machine.h"
#include "Kernels/Space.h"
#include "Task/Task.h"

namespace convoy::kernels {

/// Version of the generated code; see kConvDirectVersion.
inline constexpr int kPoolPixelsVersion = 2;

/// Matches a kernel that contains only an f32 max pool. Returns it as a convolution problem whose
/// images are the planes of the pool, or nullopt.
std::optional<ConvProblem> matchPoolKernel(mlir::Block &body);

/// Returns the configuration with the lowest estimate, or nullopt if the target has short vectors
/// or the problem is not supported.
std::optional<Choice> choosePoolPixels(const ConvProblem &problem, const Machine &machine,
                                       mlir::MLIRContext *context);

/// Lowers a kernel function whose configuration is `config`.
mlir::LogicalResult lowerPoolPixels(task::KernelOp kernel, const ConvProblem &problem,
                                    PoolPixelsAttr config, int64_t vectorBytes);

} // namespace convoy::kernels
