// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The winograd template: Winograd convolution, its cost model and its weight layout. The layout
// stage and the tuner use the model; convoy-kernels-lower-winograd uses the emitter.

#pragma once

#include "Kernels/Convolution/ConvProblem.h"
#include "Kernels/Kernel.h"
#include "Kernels/Machine.h"
#include "Kernels/Space.h"
#include "Task/Task.h"

namespace convoy::kernels {

/// Returns whether the template supports the convolution with this tile size.
bool canRunWinograd(const ConvProblem &problem, int64_t tile);

/// Returns the reason why no template may compute the convolution by the Winograd algorithm, or an
/// empty string.
std::string whyNotWinograd(const ConvProblem &problem, bool isStrictMath);

/// Returns whether the template can be faster than direct convolution. With few channels, blocks
/// are mostly padding and transforms dominate.
bool isForWinograd(const ConvProblem &problem, const Machine &machine);

/// Returns the configuration with the lowest estimate, or nullopt if isForWinograd is false.
std::optional<ConfigChoice> chooseWinograd(const ConvProblem &problem, const Machine &machine,
                                           mlir::MLIRContext *context);

/// Returns the configuration with the lowest estimate for tiles of this size, or nullopt.
std::optional<ConfigChoice> chooseWinogradTile(const ConvProblem &problem, const Machine &machine,
                                               int64_t tile, mlir::MLIRContext *context);

/// Returns the search space; isForWinograd must hold. The result of chooseWinograd has the lowest
/// estimate in the space.
Space winogradSpace(const ConvProblem &problem, const Machine &machine, mlir::MLIRContext *context);

/// Lowers a kernel function whose configuration is `config`.
mlir::LogicalResult lowerWinograd(task::KernelOp kernel, const ConvKernel &matched,
                                  WinogradAttr config, int64_t vectorBytes);

} // namespace convoy::kernels
