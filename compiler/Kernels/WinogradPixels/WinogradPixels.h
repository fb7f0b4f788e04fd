// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The winograd_pixels template and its cost model: Winograd convolution with lanes along tiles, for
// layers with too few channels to fill the vectors of the target.

#pragma once

#include "Kernels/Convolution/ConvProblem.h"
#include "Kernels/Kernel.h"
#include "Kernels/Machine.h"
#include "Kernels/Space.h"
#include "Task/Task.h"

namespace convoy::kernels {

/// Version of the generated code. Increment it when the same configuration generates different
/// code; this invalidates older records.
inline constexpr int kWinogradPixelsVersion = 1;

/// Returns the reason why a configuration does not fit the problem, or an empty string if it fits.
/// The configuration may come from a file.
std::string whyNotWinogradPixels(const ConvProblem &problem, WinogradPixelsAttr config);

/// Returns the configuration with the lowest estimate. Returns nullopt if the template does not
/// support the problem or the target has short vectors, which channels fill.
std::optional<Choice> chooseWinogradPixels(const ConvProblem &problem, const Machine &machine,
                                           mlir::MLIRContext *context);

/// Returns the weight layout that a configuration reads.
mlir::Attribute winogradPixelsWeights(WinogradPixelsAttr config);

/// Lowers a kernel function whose configuration is `config`.
mlir::LogicalResult lowerWinogradPixels(task::KernelOp kernel, const ConvKernel &matched,
                                        WinogradPixelsAttr config, int64_t vectorBytes);

} // namespace convoy::kernels
