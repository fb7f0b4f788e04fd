// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Max pools of planar tensors with lanes along the pixels of several rows, for long
// vectors: the template and its cost model.

#pragma once

#include "Kernels/ConvDirect/ConvProblem.h"
#include "Kernels/Kernel.h"
#include "Kernels/Machine.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace convoy::kernels {

/// Of the code that a configuration gives, as kConvDirectVersion.
inline constexpr int kPoolPixelsVersion = 2;

/// A kernel of one max pool over f32 and nothing else, as a convolution whose images
/// are its planes; nullopt for any other kernel.
std::optional<ConvProblem> matchPoolKernel(mlir::Block &body);

struct PoolPixelsChoice {
  PoolPixelsAttr config;
  /// Estimated cycles on one core.
  double cycles;
};

/// The best configuration, or nullopt for targets with short vectors.
std::optional<PoolPixelsChoice> choosePoolPixels(const ConvProblem &problem, const Machine &machine,
                                                 mlir::MLIRContext *context);

/// Lowers a kernel function whose configuration is `config`.
mlir::LogicalResult lowerPoolPixels(mlir::func::FuncOp kernel, PoolPixelsAttr config,
                                    int64_t vectorBytes);

} // namespace convoy::kernels
