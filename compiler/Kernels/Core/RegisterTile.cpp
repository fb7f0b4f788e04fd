// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements RegisterTile.

#include "Kernels/Core/RegisterTile.h"

using namespace mlir;

namespace convoy::kernels {

RegisterTile::Values RegisterTile::cell(ArrayRef<Value> sums, int64_t v, int64_t cell) const {
  Values own;
  for (int64_t i = 0; i < multiply.registers; ++i) {
    own.push_back(sums[place(i, v, cell)]);
  }
  return own;
}

RegisterTile::Values RegisterTile::loadCell(int64_t step, int64_t steps, int64_t cell,
                                            OffsetOf inputs) {
  Values offsets;
  for (int64_t i = 0; i < multiply.pixels; ++i) {
    int64_t pixel = cell * multiply.pixels + i;
    offsets.push_back(pixel < pixels ? inputs(step, pixel) : Value());
  }
  return multiply.loadInputs(offsets, steps);
}

RegisterTile::Values RegisterTile::accumulate(int64_t steps, OffsetOf weights, OffsetOf inputs,
                                              Values sums) {
  SmallVector<Values> loaded(cells());
  for (int64_t step = 0; step < steps; ++step) {
    SmallVector<Values> factors;
    for (int64_t v = 0; v < vectors; ++v) {
      factors.push_back(multiply.loadWeights(weights(step, v)));
    }
    int64_t before = step % multiply.loadedSteps;
    for (int64_t cell = 0; cell < cells(); ++cell) {
      if (before == 0) {
        loaded[cell] = loadCell(step, std::min(multiply.loadedSteps, steps - step), cell, inputs);
      }
      Values own = multiply.inputsOf(loaded[cell], before);
      for (int64_t i = 0; i < multiply.registers; ++i) {
        for (int64_t v = 0; v < vectors; ++v) {
          Value &sum = sums[place(i, v, cell)];
          sum = multiply.multiplyAdd(i, sum, own, factors[v]);
        }
      }
    }
  }
  return sums;
}

} // namespace convoy::kernels
