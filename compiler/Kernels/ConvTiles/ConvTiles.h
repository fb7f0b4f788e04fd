// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer convolution on tile registers (AMX): the template, its cost model and what
// layouts it wants.

#pragma once

#include "Kernels/ConvDirect/ConvProblem.h"
#include "Kernels/Kernel.h"
#include "Kernels/Machine.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace convoy::kernels {

/// Of the code that a configuration gives: raise it when equal ones give other code, and
/// what was measured before is measured again.
inline constexpr int kConvTilesVersion = 1;

struct ConvTilesChoice {
  ConvTilesAttr config;
  /// Estimated cycles on one core.
  double cycles;
};

/// Why the template does not run a kernel; empty when it does.
std::string whyNotConvTiles(const ConvKernel &kernel);
/// The same of a configuration, which may come from a file.
std::string whyNotConvTiles(const ConvKernel &kernel, ConvTilesAttr config);

/// The best configuration, or nullopt when the template cannot run the kernel here.
std::optional<ConvTilesChoice> chooseConvTiles(const ConvKernel &kernel, const Machine &machine,
                                               mlir::MLIRContext *context);

/// The layout of weights: a tile is 64 input channels of 16 output channels.
mlir::Attribute convTilesWeights(const ConvKernel &kernel, ConvTilesAttr config);

/// Lowers a kernel function whose configuration is `config`.
mlir::LogicalResult lowerConvTiles(mlir::func::FuncOp kernel, ConvTilesAttr config,
                                   int64_t vectorBytes);

} // namespace convoy::kernels
