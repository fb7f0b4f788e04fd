// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The conv_dot template: integer convolution by dot products, its cost model and its layouts. The
// layout stage and the tuner use the model; convoy-kernels-lower-conv-dot uses the emitter.

#pragma once

#include "Kernels/Convolution/ConvProblem.h"
#include "Kernels/Kernel.h"
#include "Kernels/Machine.h"
#include "Kernels/Space.h"
#include "Task/Task.h"

namespace convoy::kernels {

/// Version of the generated code. Increment it when the same configuration generates different
/// code; this invalidates older records.
inline constexpr int kConvDotVersion = 1;

/// Returns the reason why the template does not support an integer kernel in blocks of `block`
/// channels, or an empty string.
std::string whyNotConvDot(const ConvKernel &kernel, int64_t block);
/// Returns the reason why a configuration does not fit the kernel, or an empty string. The
/// configuration may come from a file.
std::string whyNotConvDot(const ConvKernel &kernel, mlir::Block &body, ConvDotAttr config);

/// Returns the configuration with the lowest estimate, or nullopt if the template does not support
/// the kernel.
std::optional<Choice> chooseConvDot(const ConvKernel &kernel, bool isFlat, const Machine &machine,
                                    mlir::MLIRContext *context);

/// Returns the input or weight layout that a configuration reads. Images of at most four channels
/// have blocks of four, so a pixel is one lane.
mlir::Attribute convDotInput(const ConvProblem &problem, ConvDotAttr config);
mlir::Attribute convDotWeights(const ConvKernel &kernel, ConvDotAttr config, DotForm form);

/// Lowers a kernel function whose configuration is `config`.
mlir::LogicalResult lowerConvDot(task::KernelOp kernel, const ConvKernel &matched,
                                 ConvDotAttr config, int64_t vectorBytes, DotForm form);

} // namespace convoy::kernels
