// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chains of reshapes, transposes and slices that move whole blocks of channels. The generic loops
// compute such a chain with lanes along channels, and Fusion forms kernels of such chains.

#pragma once

#include "mlir/IR/Value.h"

namespace convoy::kernels {

/// Returns whether `result` is the end of a chain of reshapes, transposes and slices of `source`,
/// at least one of them a transpose, and every aligned block of channels of the result is an
/// aligned block of channels of the source:
///
///     [1, 64, 8] -> [1, 2, 32, 8] -> [1, 32, 8, 2] -> [1, 32, 16]      blocks of 16 or 32
bool movesBlocks(mlir::Value result, mlir::Value source, int64_t block);

} // namespace convoy::kernels
