// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost model and the search space of the conv_direct template, direct convolution. The layout
// stage and the tuner use them.

#pragma once

#include "Kernels/Convolution/ConvProblem.h"
#include "Kernels/Kernel.h"
#include "Kernels/Machine.h"
#include "Kernels/Space.h"

namespace convoy::kernels {

/// The layout of the input in memory.
enum class InputLayout { Blocked, Planar, Matrix };

/// Numbers of output-channel blocks per register tile that the chooser tries.
inline constexpr int64_t kTileVectors[] = {1, 2, 3, 4, 6, 8};

/// Returns whether the template supports the problem with this input layout and blocks of the
/// machine's lanes. Groups that are not whole blocks are computed as one, with zeros as weights
/// between them.
bool canRunConvDirect(const ConvProblem &problem, InputLayout input, const Machine &machine);

/// Returns the configuration with the lowest estimate for this input layout, or nullopt if the
/// template does not support the problem.
std::optional<ConfigChoice> chooseConvDirect(const ConvProblem &problem, InputLayout input,
                                             bool isFlat, const Machine &machine,
                                             mlir::MLIRContext *context);

/// Returns the search space for this input layout; canRunConvDirect must hold. The result of
/// chooseConvDirect has the lowest estimate in the space.
Space convDirectSpace(const ConvProblem &problem, InputLayout input, bool isFlat,
                      const Machine &machine, mlir::MLIRContext *context);

/// Returns the number of input channels that are contiguous in the weights. Planar inputs need no
/// blocks, but short vectors split them so that the weights of a block stay in the cache.
int64_t depthBlockOf(const ConvProblem &problem, InputLayout input, int64_t block);

} // namespace convoy::kernels
