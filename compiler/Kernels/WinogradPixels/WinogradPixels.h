// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Winograd convolution with lanes along tiles, for layers that have too few channels
// to fill the vectors of the target: the template and its cost model.

#pragma once

#include "Kernels/ConvDirect/ConvProblem.h"
#include "Kernels/Kernel.h"
#include "Kernels/Machine.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace convoy::kernels {

/// Of the code that a configuration gives: raise it when equal ones give other code, and
/// what was measured before is measured again.
inline constexpr int kWinogradPixelsVersion = 1;

struct WinogradPixelsChoice {
  WinogradPixelsAttr config;
  /// Estimated cycles on one core.
  double cycles;
};

/// Why a configuration, which may come from a file, does not fit the problem; empty when
/// it does.
std::string whyNotWinogradPixels(const ConvProblem &problem, WinogradPixelsAttr config);

/// The best configuration, or nullopt when the template cannot run the problem or the
/// target has short vectors, which channels always fill.
std::optional<WinogradPixelsChoice> chooseWinogradPixels(const ConvProblem &problem,
                                                         const Machine &machine,
                                                         mlir::MLIRContext *context);

/// The layout of weights that a configuration reads.
mlir::Attribute winogradPixelsWeights(WinogradPixelsAttr config);

/// Lowers a kernel function whose configuration is `config`.
mlir::LogicalResult lowerWinogradPixels(mlir::func::FuncOp kernel, WinogradPixelsAttr config,
                                        int64_t vectorBytes);

} // namespace convoy::kernels
