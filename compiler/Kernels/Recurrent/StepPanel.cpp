// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the product with a panel. The accumulators stay in registers for the whole depth.

#include "Kernels/Recurrent/StepPanel.h"
#include "Kernels/Core/FloatMultiply.h"
#include "Kernels/Core/RegisterTile.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace convoy::kernels {

void PanelEmitter::emit(const PanelProduct &product, Value firstRow, Value panel, int64_t vectors) {
  FloatMultiply multiply(b, {product.input, ElementType::F32}, {product.weights, ElementType::F32},
                         lanes);
  RegisterTile tile(multiply, vectors, rows);
  Value zero = b.create<arith::ConstantOp>(b.getZeroAttr(multiply.type));
  Values sums = unrolled(
      product.depth, std::min(config.getDepth(), product.depth), Values(rows * vectors, zero),
      [&](Value depth, int64_t count, Values carried) {
        Value place = mul(add(mul(panel, product.depth), depth), width);
        auto weights = [&](int64_t k, int64_t v) { return add(place, k * width + v * lanes); };
        auto inputs = [&](int64_t k, int64_t row) {
          return add(add(mul(add(firstRow, row), product.depth), depth), k);
        };
        return tile.accumulate(count, weights, inputs, std::move(carried));
      });
  Value column = mul(panel, width);
  for (int64_t row = 0; row < rows; ++row) {
    Value start = add(mul(add(firstRow, row), product.columns), column);
    for (int64_t v = 0; v < vectors; ++v) {
      b.create<vector::StoreOp>(sums[tile.place(0, v, row)], product.result, add(start, v * lanes));
    }
  }
}

} // namespace convoy::kernels
