// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The emitter of the conv_tiles template: integer convolution on tile registers (AMX).

#pragma once

#include "Kernels/ConvTiles/TileBand.h"
#include "Kernels/Kernel.h"
#include "Kernels/KernelFunction.h"

namespace convoy::kernels {

/// Emits the copy of the input of a band, from blocks of `block` channels to the format that tile
/// loads read (TileBand.h), in scratch memory from `target` on.
void copyBand(KernelFunction &function, const ConvKernel &kernel, const TileBand &band,
              int64_t target, int64_t block, mlir::Value batch, mlir::Value firstRow);

/// Lowers a kernel function whose configuration is `config`.
mlir::LogicalResult lowerConvTiles(task::KernelOp kernel, const ConvKernel &matched,
                                   ConvTilesAttr config, int64_t vectorBytes);

} // namespace convoy::kernels
