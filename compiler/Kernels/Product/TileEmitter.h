// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the multiply-adds of a register tile: a matrix of `rows` x `vectors` accumulators that sums
// one depth after another. The right factor has contiguous lanes; the left factor has any strides:
//
//     for k in [0, depth):                        # `unroll` values of k per step
//       y[v] = right[k * depthStride + columns[v] ..]
//       for r:  sums[r][v] += left[r * rowStride + k * depthStride] * y[v]
//
// Templates of products use the class. They choose the tile, pack the right factor (PackPanels.h)
// and store the sums.

#pragma once

#include "Kernels/Loops/Registers.h"

namespace convoy::kernels {

/// The size of a register tile.
struct TileShape {
  int64_t rows = 1;
  /// The elements per vector: a power of two. A vector of one lane is a scalar.
  int64_t lanes = 1;
  /// The offset of each vector in a row of the right factor.
  llvm::SmallVector<int64_t> columns;
  /// The multiply-adds per accumulator in a step of the loop.
  int64_t unroll = 1;

  int64_t vectors() const { return static_cast<int64_t>(columns.size()); }
};

/// The left factor: element (r, k) of the tile is at offset + r * rowStride + k * depthStride.
struct TileLeft {
  Buffer memory;
  mlir::Value offset;
  int64_t rowStride = 0;
  int64_t depthStride = 1;
};

/// The right factor: lane i of vector v at depth k is at
/// offset + k * depthStride + columns[v] + i.
struct TileRight {
  Buffer memory;
  mlir::Value offset;
  int64_t depthStride = 1;
};

class TileEmitter {
public:
  /// The accumulators in f32; the sum of row r and vector v has the number r * vectors + v.
  using Sums = llvm::SmallVector<mlir::Value>;

  TileEmitter(mlir::ImplicitLocOpBuilder &builder, TileShape shape)
      : b(builder), shape(std::move(shape)) {}

  /// Returns accumulators of zeros.
  Sums zeros();
  /// Returns `sums` plus the products of `depth` elements.
  Sums accumulate(const TileLeft &left, const TileRight &right, int64_t depth, Sums sums);
  /// Like the function above, for a depth that is known at run time.
  Sums accumulate(const TileLeft &left, const TileRight &right, mlir::Value depth, Sums sums);

private:
  /// Emits the products of `depth` elements that start at `first`, without a loop.
  Sums step(const TileLeft &left, const TileRight &right, mlir::Value first, int64_t depth,
            Sums sums);
  Sums loop(mlir::Value low, mlir::Value high, Sums sums,
            llvm::function_ref<Sums(mlir::Value, Sums)> body);

  mlir::ImplicitLocOpBuilder &b;
  TileShape shape;
};

} // namespace convoy::kernels
