// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the product with a panel. The accumulators stay in registers for the whole depth.

#include "Kernels/Recurrent/StepPanel.h"
#include "Kernels/Core/FloatMultiply.h"
#include "Kernels/Core/RegisterTile.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace convoy::kernels {

void emitPanel(ImplicitLocOpBuilder &b, const PanelProduct &product, RecurrentAttr config,
               int64_t lanes, Value firstRow, Value panel, int64_t vectors) {
  LoopNest nest(b);
  int64_t rows = config.getUnroll(), width = config.getVectors() * lanes;
  FloatMultiply multiply(b, {product.input, ElementType::F32}, {product.weights, ElementType::F32},
                         lanes);
  RegisterTile tile(multiply, vectors, rows);
  Value zero = b.create<arith::ConstantOp>(b.getZeroAttr(multiply.type));
  LoopNest::Values sums = nest.unrolled(
      product.depth, std::min(config.getDepth(), product.depth),
      LoopNest::Values(rows * vectors, zero),
      [&](Value depth, int64_t count, LoopNest::Values carried) {
        Value place = nest.mul(nest.add(nest.mul(panel, product.depth), depth), width);
        auto weights = [&](int64_t k, int64_t v) { return nest.add(place, k * width + v * lanes); };
        auto inputs = [&](int64_t k, int64_t row) {
          return nest.add(nest.add(nest.mul(nest.add(firstRow, row), product.depth), depth), k);
        };
        return tile.accumulate(count, weights, inputs, std::move(carried));
      });
  Value column = nest.mul(panel, width);
  for (int64_t row = 0; row < rows; ++row) {
    Value start = nest.add(nest.mul(nest.add(firstRow, row), product.columns), column);
    for (int64_t v = 0; v < vectors; ++v) {
      b.create<vector::StoreOp>(sums[tile.place(0, v, row)], product.result,
                                nest.add(start, v * lanes));
    }
  }
}

} // namespace convoy::kernels
