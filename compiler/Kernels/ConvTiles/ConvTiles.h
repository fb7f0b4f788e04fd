// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The conv_tiles template: integer convolution on tile registers (AMX), its cost model and its
// weight layout.

#pragma once

#include "Kernels/Convolution/ConvProblem.h"
#include "Kernels/Kernel.h"
#include "Kernels/Machine.h"
#include "Kernels/Space.h"
#include "Task/Task.h"

namespace convoy::kernels {

/// Version of the generated code. Increment it when the same configuration generates different
/// code; this invalidates older records.
inline constexpr int kConvTilesVersion = 1;

/// Returns the reason why the template does not support a kernel, or an empty string.
std::string whyNotConvTiles(const ConvKernel &kernel);
/// Returns the reason why a configuration does not fit the kernel, or an empty string. The
/// configuration may come from a file.
std::string whyNotConvTiles(const ConvKernel &kernel, ConvTilesAttr config);

/// Returns the configuration with the lowest estimate, or nullopt if the template or the machine
/// does not support the kernel.
std::optional<Choice> chooseConvTiles(const ConvKernel &kernel, const Machine &machine,
                                      mlir::MLIRContext *context);

/// Returns the weight layout. A tile has 64 input channels and 16 output channels.
mlir::Attribute convTilesWeights(const ConvKernel &kernel, ConvTilesAttr config);

/// Lowers a kernel function whose configuration is `config`.
mlir::LogicalResult lowerConvTiles(task::KernelOp kernel, const ConvKernel &matched,
                                   ConvTilesAttr config, int64_t vectorBytes);

} // namespace convoy::kernels
