// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies the input of a band from blocked channels to the format that tile loads read (TileBand.h).
// The conv_tiles template uses it.

#pragma once

#include "Kernels/ConvTiles/TileBand.h"
#include "Kernels/Core/LoopNest.h"
#include "Kernels/KernelFunction.h"

namespace convoy::kernels {

class BandCopier : LoopNest {
public:
  /// Writes to scratch memory starting at `target`. Input channels are in blocks of `block`.
  BandCopier(KernelFunction &function, const ConvKernel &kernel, const TileBand &band,
             int64_t target, int64_t block)
      : LoopNest(function.b), function(function), kernel(kernel), p(kernel.problem), band(band),
        target(target), block(block) {}

  void copy(mlir::Value batch, mlir::Value firstRow);

private:
  /// A row of the copy: its source, and its first pixel in the copy.
  struct Row {
    mlir::Value batch, row, pixel;
    int64_t columnPlane;
  };

  void copyPlane(mlir::Value batch, mlir::Value firstRow, int64_t rowPlane, int64_t columnPlane);
  void copyRow(const Row &row);
  void copyColumns(const Row &row, mlir::Value layer, int64_t count, int64_t first, int64_t last);
  void fill(mlir::Value pixel, int64_t pixels);
  int64_t columnOf(const Row &row, int64_t i) const {
    return i * p.strideColumns + row.columnPlane - p.padLeft;
  }
  mlir::Value placeOf(mlir::Value layer, mlir::Value pixel);
  mlir::VectorType bytes(int64_t count) { return mlir::VectorType::get({count}, b.getI8Type()); }
  mlir::Value splat(int64_t count, int64_t byte);

  KernelFunction &function;
  const ConvKernel &kernel;
  const ConvProblem &p;
  const TileBand &band;
  int64_t target, block;
};

} // namespace convoy::kernels
