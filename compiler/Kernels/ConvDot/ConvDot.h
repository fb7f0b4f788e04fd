// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost model and the layouts of the conv_dot template, integer convolution by dot products.

#pragma once

#include "Kernels/Convolution/ConvProblem.h"
#include "Kernels/Kernel.h"
#include "Kernels/Machine.h"
#include "Kernels/Space.h"

namespace convoy::kernels {

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

} // namespace convoy::kernels
