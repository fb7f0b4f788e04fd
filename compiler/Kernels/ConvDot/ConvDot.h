// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the conv_dot and conv_tiles templates share: integer convolution by dot products of bytes.

#pragma once

#include "Kernels/Convolution/ConvProblem.h"

namespace convoy::kernels {

/// Returns the reason why the template does not support an integer kernel in blocks of `block`
/// channels, or an empty string.
std::string whyNotConvDot(const ConvKernel &kernel, int64_t block);

} // namespace convoy::kernels
