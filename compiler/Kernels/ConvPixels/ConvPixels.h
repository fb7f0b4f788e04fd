// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The conv_pixels template and its cost model: convolution with lanes along pixels, for layers with
// too few channels to fill the vectors of the target.

#pragma once

#include "Kernels/Convolution/ConvProblem.h"
#include "Kernels/Kernel.h"
#include "Kernels/Machine.h"
#include "Kernels/Space.h"
#include "Task/Task.h"

namespace convoy::kernels {

/// Version of the generated code. Increment it when the same configuration generates different
/// code; this invalidates older records.
inline constexpr int kConvPixelsVersion = 2;

/// Returns whether the template supports the problem and the target has long vectors. Channels fill
/// short vectors, so short vectors do not need this template.
bool canRunConvPixels(const ConvProblem &problem, const Machine &machine);

/// Returns the reason why a configuration does not fit the problem, or an empty string if it fits.
/// The configuration may come from a file.
std::string whyNotConvPixels(const ConvProblem &problem, bool isFlat, ConvPixelsAttr config);

/// Returns the configuration with the lowest estimate, or nullopt if canRunConvPixels is false.
/// isEpilogueFlat computes `isFlat`.
std::optional<Choice> chooseConvPixels(const ConvProblem &problem, bool isFlat,
                                       const Machine &machine, mlir::MLIRContext *context);

/// Returns the search space; canRunConvPixels must hold. The result of chooseConvPixels has the
/// lowest estimate in the space.
Space convPixelsSpace(const ConvProblem &problem, bool isFlat, const Machine &machine,
                      mlir::MLIRContext *context);

/// Returns the weight layout that a configuration reads.
mlir::Attribute convPixelsWeights(ConvPixelsAttr config);

/// Lowers a kernel function whose configuration is `config`.
mlir::LogicalResult lowerConvPixels(task::KernelOp kernel, const ConvKernel &matched,
                                    ConvPixelsAttr config, int64_t vectorBytes);

} // namespace convoy::kernels
