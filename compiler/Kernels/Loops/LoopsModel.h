// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost model of the generic loops.

#pragma once

#include "Kernels/KernelTemplate.h"

namespace convoy::kernels {

/// Returns the estimated number of vector operations per result element.
double workPerElement(graph::KernelOp kernel);

/// Returns the estimated cycles of a kernel on planar operands and results. `conv` is the
/// convolution or product of the kernel, if it has one.
double planarCycles(graph::KernelOp kernel, const std::optional<ConvKernel> &conv,
                    const Machine &machine);

} // namespace convoy::kernels
