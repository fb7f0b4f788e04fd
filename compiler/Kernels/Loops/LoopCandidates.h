// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Candidates that use the generic loops, with lanes along a row or along channels, and their cost
// model.

#pragma once

#include "Kernels/KernelTemplate.h"

namespace convoy::kernels {

/// Returns the candidate with planar operands and results; every kernel has one. `conv` is the
/// convolution or product of the kernel, if it has one.
Candidate planarLoops(graph::KernelOp kernel, const std::optional<ConvKernel> &conv,
                      const Machine &machine);

/// Returns the candidate with lanes along blocks of `block` channels. Returns nullopt if the kernel
/// mixes channels, has too few channels, or has integers and `takesIntegers` is false.
std::optional<Candidate> blockedLoops(graph::KernelOp kernel, int64_t block, bool takesIntegers);

/// Returns the candidate with planar operands and a result in blocks of four channels, the input
/// layout of integer convolutions on images. Returns nullopt if the result is not an 8-bit image of
/// at most four channels, or if the kernel has ops that are not element-wise.
std::optional<Candidate> interleavedLoops(graph::KernelOp kernel, const Machine &machine);

/// Returns the candidate of a kernel that only transposes and whose operand and result then have
/// the same bytes, or nullopt. The layout stage replaces the kernel by a view.
std::optional<Candidate> viewedTranspose(graph::KernelOp kernel);

} // namespace convoy::kernels
