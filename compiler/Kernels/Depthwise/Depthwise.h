// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Depthwise convolution: the template, its cost model and what layouts it wants.

#pragma once

#include "Kernels/ConvDirect/ConvProblem.h"
#include "Kernels/Kernel.h"
#include "Kernels/Machine.h"
#include "Kernels/Space.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace convoy::kernels {

/// Of the code that a configuration gives: raise it when equal ones give other code, and
/// what was measured before is measured again.
inline constexpr int kDepthwiseVersion = 1;

struct DepthwiseChoice {
  DepthwiseAttr config;
  /// Estimated cycles on one core.
  double cycles;
};

/// Whether the template runs the problem: it wants one input and one output channel
/// per group.
bool canRunDepthwise(const ConvProblem &problem);

/// The best configuration, or nullopt when the template cannot run the problem.
std::optional<DepthwiseChoice> chooseDepthwise(const ConvProblem &problem, const Machine &machine,
                                               mlir::MLIRContext *context);

/// All configurations; for problems that canRunDepthwise. The chooser's pick is the one
/// with the fewest cycles.
Space depthwiseSpace(const ConvProblem &problem, const Machine &machine,
                     mlir::MLIRContext *context);

/// The layout of weights that a configuration reads.
mlir::Attribute depthwiseWeights(DepthwiseAttr config);

/// Lowers a kernel function whose configuration is `config`.
mlir::LogicalResult lowerDepthwise(mlir::func::FuncOp kernel, DepthwiseAttr config,
                                   int64_t vectorBytes, DotForm form);

} // namespace convoy::kernels
