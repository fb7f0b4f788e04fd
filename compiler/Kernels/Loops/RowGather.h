// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gathers from one row of a tensor. The gather records the size of the row, so that code generation
// can look up elements of a short row in registers.

#pragma once

#include "Kernels/Loops/Registers.h"

namespace convoy::kernels {

/// The elements of the longest row that loadFromRow is for.
inline constexpr int64_t kMostRowElements = 128;

/// Loads the elements at `columns`, which vary between lanes, of a row that starts at `start` and
/// has `extent` elements of 32 bits. The whole row must be readable.
mlir::Value loadFromRow(Lanes &lanes, const Buffer &buffer, mlir::Value start, const Index &columns,
                        int64_t extent);

} // namespace convoy::kernels
