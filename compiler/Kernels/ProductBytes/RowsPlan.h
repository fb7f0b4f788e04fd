// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scratch memory of product_bytes. A chunk is the part of a row that one vector load reads, or
// 64 bytes for tile registers, so that a row of a tile is a whole cache line.
//
//     vectors           [row][chunk][bytes]     a row is contiguous
//     tile registers    [chunk][row][bytes]     a tile is contiguous

#pragma once

#include "Kernels/Core/CeilDiv.h"
#include "Kernels/Core/TileRegisters.h"
#include "Kernels/DotProduct.h"
#include "Kernels/ProductBytes/ProductBytes.h"

namespace convoy::kernels {

/// Bytes per i32.
constexpr int64_t kSumBytes = 4;

struct RowsPlan {
  RowsPlan(const BytesProduct &p, ProductBytesAttr config)
      : rows(config.getRows()), hasTiles(config.getTiles() > 0),
        chunkBytes(config.getBlock() * kSumBytes), chunks(ceilDiv(p.depth, chunkBytes)),
        tileSumBytes(config.getHeight() * config.getVectors() * config.getBlock() * kSumBytes),
        rowSumsAt(sumsAt + tileSumBytes),
        inputAt(rowSumsAt + ceilDiv(rows * kSumBytes, kTileRowBytes) * kTileRowBytes),
        bytes(inputAt + rows * chunks * chunkBytes) {}

  int64_t rowStride() const { return hasTiles ? chunkBytes : chunks * chunkBytes; }
  int64_t chunkStride() const { return hasTiles ? rows * chunkBytes : chunkBytes; }

  int64_t rows; // rows per task
  bool hasTiles;
  int64_t chunkBytes, chunks;
  int64_t tileSumBytes;
  int64_t sumsAt = kTileRowBytes; // the configuration of the tile registers is at 0
  int64_t rowSumsAt, inputAt, bytes;
};

/// Emits the copy of the rows [first, last) of the left side to the start of the scratch memory of
/// rows, and their sums.
void copyRows(KernelFunction &function, const BytesProduct &product, const RowsPlan &plan,
              DotProduct &dot, mlir::Value first, mlir::Value last);

} // namespace convoy::kernels
