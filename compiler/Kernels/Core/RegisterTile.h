// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tile of accumulators that stays in registers: `vectors` blocks of output channels times
// `pixels` pixels. The multiply determines the registers of a cell (Multiply.h). Each step loads
// the weights once and the inputs of one cell after another, so only the accumulators live across
// steps:
//
//     for step: w[v] = weights(step, v)
//       for cell: x = inputs(step, cell);  for v: sums[v][cell] += w[v] * x

#pragma once

#include "Kernels/Core/CeilDiv.h"
#include "Kernels/Core/Multiply.h"

namespace convoy::kernels {

class RegisterTile {
public:
  using Values = Multiply::Values;
  /// Returns the offset of the weights of a block, or of the input of a pixel, at a step. A null
  /// offset of an input is a pixel outside the image.
  using OffsetOf = llvm::function_ref<mlir::Value(int64_t step, int64_t i)>;

  RegisterTile(Multiply &multiply, int64_t vectors, int64_t pixels)
      : multiply(multiply), vectors(vectors), pixels(pixels) {}

  int64_t cells() const { return ceilDiv(pixels, multiply.pixels); }
  /// Returns the number of accumulator i of a cell.
  int64_t place(int64_t i, int64_t v, int64_t cell) const {
    return (i * vectors + v) * cells() + cell;
  }
  /// Returns the accumulators of a cell.
  Values cell(llvm::ArrayRef<mlir::Value> sums, int64_t v, int64_t cell) const;
  /// Returns the sums plus the products of `steps` steps.
  Values accumulate(int64_t steps, OffsetOf weights, OffsetOf inputs, Values sums);

private:
  Values loadCell(int64_t step, int64_t steps, int64_t cell, OffsetOf inputs);

  Multiply &multiply;
  int64_t vectors, pixels;
};

} // namespace convoy::kernels
