// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The generic loops as ways to run a kernel: lanes along a row, or along channels.

#pragma once

#include "Kernels/ConvDirect/ConvProblem.h"
#include "Layout/Candidates.h"

namespace convoy::layout {

/// All operands and results planar; any kernel. `conv` is what layerOf says.
Candidate planarLoops(graph::KernelOp kernel, const std::optional<kernels::ConvKernel> &conv,
                      const kernels::Machine &machine);

/// Lanes along blocks of that many channels; nullopt when the kernel mixes channels or
/// has too few, or has integers and they are not taken.
std::optional<Candidate> blockedLoops(graph::KernelOp kernel, int64_t block, bool takesIntegers);

/// Operands planar, the result in blocks of four channels, as integer convolutions read
/// images; nullopt when it is no image of bytes, or more than element by element.
std::optional<Candidate> interleavedLoops(graph::KernelOp kernel, const kernels::Machine &machine);

} // namespace convoy::layout
