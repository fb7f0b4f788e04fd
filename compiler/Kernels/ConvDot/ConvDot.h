// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost model and the search space of the conv_dot template, and what conv_tiles shares with it:
// integer convolution by dot products of bytes.

#pragma once

#include "Kernels/Convolution/ConvProblem.h"
#include "Kernels/Machine.h"
#include "Kernels/Space.h"

namespace convoy::kernels {

/// Returns the channels per block of the input in blocks of `block` channels: images of up to four
/// channels have blocks of four.
int64_t dotInputBlock(const ConvProblem &problem, int64_t block);

/// Returns the configuration of conv_dot with the lowest estimate; whyNotConvDot must accept the
/// kernel. `isFlat` is the result of isEpilogueFlat.
std::optional<ConfigChoice> chooseConvDot(const ConvKernel &kernel, bool isFlat,
                                          const Machine &machine, mlir::MLIRContext *context);
/// Returns the search space of conv_dot. The result of chooseConvDot has the lowest estimate.
Space convDotSpace(const ConvKernel &kernel, bool isFlat, const Machine &machine,
                   mlir::MLIRContext *context);

/// Returns the reason why the template does not support an integer kernel in blocks of `block`
/// channels, or an empty string.
std::string whyNotConvDot(const ConvKernel &kernel, int64_t block);

} // namespace convoy::kernels
