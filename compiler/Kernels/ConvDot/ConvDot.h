// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer convolution by dot products: the template, its cost model and what layouts
// it wants.

#pragma once

#include "Kernels/ConvDirect/ConvProblem.h"
#include "Kernels/Kernel.h"
#include "Kernels/Machine.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace convoy::kernels {

/// Of the code that a configuration gives: raise it when equal ones give other code, and
/// what was measured before is measured again.
inline constexpr int kConvDotVersion = 1;

struct ConvDotChoice {
  ConvDotAttr config;
  /// Estimated cycles on one core.
  double cycles;
};

/// Why the template does not run a kernel of integers in blocks of `block` channels;
/// empty when it does.
std::string whyNotConvDot(const ConvKernel &kernel, int64_t block);
/// The same of a configuration, which may come from a file.
std::string whyNotConvDot(const ConvKernel &kernel, mlir::Block &body, ConvDotAttr config);

/// The best configuration, or nullopt when the template cannot run the kernel.
std::optional<ConvDotChoice> chooseConvDot(const ConvKernel &kernel, bool isFlat,
                                           const Machine &machine, mlir::MLIRContext *context);

/// The layouts of input and weights that a configuration reads. Images of at most four
/// channels have blocks of four: a pixel is one lane's bytes.
mlir::Attribute convDotInput(const ConvProblem &problem, ConvDotAttr config);
mlir::Attribute convDotWeights(const ConvKernel &kernel, ConvDotAttr config);

/// What an input byte, taken as unsigned, holds where it stands for zero.
int64_t zeroByte(const IntegerOperands &integers);

/// Lowers a kernel function whose configuration is `config`.
mlir::LogicalResult lowerConvDot(mlir::func::FuncOp kernel, ConvDotAttr config, int64_t vectorBytes,
                                 DotForm form);

} // namespace convoy::kernels
