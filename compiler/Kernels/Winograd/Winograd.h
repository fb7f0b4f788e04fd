// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Winograd convolution: the template, its cost model and what weights it wants.

#pragma once

#include "Kernels/ConvDirect/ConvProblem.h"
#include "Kernels/Kernel.h"
#include "Kernels/Machine.h"
#include "Kernels/Space.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace convoy::kernels {

/// Of the code that a configuration gives: raise it when equal ones give other code, and
/// what was measured before is measured again.
inline constexpr int kWinogradVersion = 1;

struct WinogradChoice {
  WinogradAttr config;
  /// Estimated cycles on one core.
  double cycles;
};

/// Whether the template runs such a convolution by tiles of that size.
bool canRunWinograd(const ConvProblem &problem, int64_t tile);

/// Whether it is worth a look. Few channels are mostly padding, and their convolution
/// mostly transforms.
bool isForWinograd(const ConvProblem &problem, const Machine &machine);

/// The best configuration, or nullopt when the template cannot run the problem.
std::optional<WinogradChoice> chooseWinograd(const ConvProblem &problem, const Machine &machine,
                                             mlir::MLIRContext *context);

/// All configurations that are worth a look; for problems that are for Winograd. The
/// chooser's pick is the one with the fewest cycles.
Space winogradSpace(const ConvProblem &problem, const Machine &machine, mlir::MLIRContext *context);

/// The layout of weights that a configuration reads.
mlir::Attribute winogradWeights(WinogradAttr config);

/// Lowers a kernel function whose configuration is `config`.
mlir::LogicalResult lowerWinograd(mlir::func::FuncOp kernel, WinogradAttr config,
                                  int64_t vectorBytes);

} // namespace convoy::kernels
