// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The division by which templates count blocks, tiles and tasks.

#pragma once

#include "llvm/Support/MathExtras.h"

namespace convoy::kernels {

/// Returns x / d, rounded up. Expects d > 0.
inline int64_t ceilDiv(int64_t x, int64_t d) { return llvm::divideCeilSigned(x, d); }

} // namespace convoy::kernels
