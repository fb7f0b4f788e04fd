// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the product with a panel. The accumulators stay in registers for the whole depth.

#include "Kernels/Recurrent/StepPanel.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace convoy::kernels {

void PanelEmitter::emit(const PanelProduct &product, Value firstRow, Value panel, int64_t vectors) {
  int64_t unrolled = std::min(config.getDepth(), product.depth);
  Value zero = b.create<arith::ConstantOp>(b.getZeroAttr(vector));
  SmallVector<Value> sums(rows * vectors, zero);
  sums = elements.loop(product.depth / unrolled, sums, [&](Value i, ValueRange carried) {
    SmallVector<Value> inner(carried);
    accumulate(product, firstRow, mul(i, unrolled), panel, unrolled, inner);
    return inner;
  });
  accumulate(product, firstRow, index(product.depth / unrolled * unrolled), panel,
             product.depth % unrolled, sums);
  Value column = mul(panel, width);
  for (int64_t row = 0; row < rows; ++row) {
    Value start = add(mul(add(firstRow, row), product.columns), column);
    for (int64_t v = 0; v < vectors; ++v) {
      b.create<vector::StoreOp>(sums[row * vectors + v], product.result, add(start, v * lanes));
    }
  }
}

void PanelEmitter::accumulate(const PanelProduct &product, Value firstRow, Value depth, Value panel,
                              int64_t count, SmallVector<Value> &sums) {
  int64_t vectors = static_cast<int64_t>(sums.size()) / rows;
  Value place = mul(add(mul(panel, product.depth), depth), width);
  for (int64_t k = 0; k < count; ++k) {
    SmallVector<Value> loaded;
    for (int64_t v = 0; v < vectors; ++v) {
      Value offset = add(place, k * width + v * lanes);
      loaded.push_back(b.create<vector::LoadOp>(vector, product.weights, offset));
    }
    for (int64_t row = 0; row < rows; ++row) {
      Value offset = add(add(mul(add(firstRow, row), product.depth), depth), k);
      Value scalar = b.create<memref::LoadOp>(product.input, offset);
      Value spread = b.create<vector::BroadcastOp>(vector, scalar);
      for (int64_t v = 0; v < vectors; ++v) {
        Value &sum = sums[row * vectors + v];
        sum = b.create<math::FmaOp>(loaded[v], spread, sum);
      }
    }
  }
}

} // namespace convoy::kernels
