// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolution with lanes along pixels, for layers that have too few channels to fill
// the vectors of the target: the template and its cost model.

#pragma once

#include "Kernels/ConvDirect/ConvProblem.h"
#include "Kernels/Kernel.h"
#include "Kernels/Machine.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace convoy::kernels {

struct ConvPixelsChoice {
  ConvPixelsAttr config;
  /// Estimated cycles on one core.
  double cycles;
};

/// The best configuration, or nullopt when the template cannot run the problem or the
/// target has short vectors, which channels always fill. `isFlat`: see isEpilogueFlat.
std::optional<ConvPixelsChoice> chooseConvPixels(const ConvProblem &problem, bool isFlat,
                                                 const Machine &machine,
                                                 mlir::MLIRContext *context);

/// The layout of weights that a configuration reads.
mlir::Attribute convPixelsWeights(ConvPixelsAttr config);

/// Lowers a kernel function whose configuration is `config`.
mlir::LogicalResult lowerConvPixels(mlir::func::FuncOp kernel, ConvPixelsAttr config,
                                    int64_t vectorBytes);

} // namespace convoy::kernels
