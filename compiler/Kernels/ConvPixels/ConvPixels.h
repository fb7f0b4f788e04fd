// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolution with lanes along pixels, for layers that have too few channels to fill
// the vectors of the target: the template and its cost model.

#pragma once

#include "Kernels/ConvDirect/ConvProblem.h"
#include "Kernels/Kernel.h"
#include "Kernels/Machine.h"
#include "Kernels/Space.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace convoy::kernels {

/// Of the code that a configuration gives: raise it when equal ones give other code, and
/// what was measured before is measured again.
inline constexpr int kConvPixelsVersion = 2;

struct ConvPixelsChoice {
  ConvPixelsAttr config;
  /// Estimated cycles on one core.
  double cycles;
};

/// Whether the template runs the problem and the target has long vectors; channels
/// always fill short ones.
bool canRunConvPixels(const ConvProblem &problem, const Machine &machine);

/// Why a configuration, which may come from a file, does not fit the problem; empty when
/// it does.
std::string whyNotConvPixels(const ConvProblem &problem, bool isFlat, ConvPixelsAttr config);

/// The best configuration, or nullopt for what canRunConvPixels refuses. `isFlat`: see
/// isEpilogueFlat.
std::optional<ConvPixelsChoice> chooseConvPixels(const ConvProblem &problem, bool isFlat,
                                                 const Machine &machine,
                                                 mlir::MLIRContext *context);

/// All configurations; for problems that canRunConvPixels. The chooser's pick is the one
/// with the fewest cycles.
Space convPixelsSpace(const ConvProblem &problem, bool isFlat, const Machine &machine,
                      mlir::MLIRContext *context);

/// The layout of weights that a configuration reads.
mlir::Attribute convPixelsWeights(ConvPixelsAttr config);

/// Lowers a kernel function whose configuration is `config`.
mlir::LogicalResult lowerConvPixels(mlir::func::FuncOp kernel, ConvPixelsAttr config,
                                    int64_t vectorBytes);

} // namespace convoy::kernels
