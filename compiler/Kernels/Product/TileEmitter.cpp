// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements TileEmitter. Each step loads the vectors of the right factor once and broadcasts the
// elements of the left factor one after another, so only the accumulators live across steps.

#include "Kernels/Product/TileEmitter.h"
#include "Kernels/Core/IndexMath.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace convoy::kernels {

TileEmitter::Sums TileEmitter::zeros() {
  Type type = Lanes(b, shape.lanes).type(b.getF32Type());
  Value zero = b.create<arith::ConstantOp>(b.getZeroAttr(type));
  return Sums(shape.rows * shape.vectors(), zero);
}

TileEmitter::Sums TileEmitter::accumulate(const TileLeft &left, const TileRight &right,
                                          int64_t depth, Sums sums) {
  IndexMath m(b);
  int64_t steps = depth / shape.unroll;
  if (steps > 1) {
    sums = loop(m.index(0), m.index(steps), std::move(sums), [&](Value i, Sums carried) {
      return step(left, right, m.mul(i, shape.unroll), shape.unroll, std::move(carried));
    });
  } else if (steps == 1) {
    sums = step(left, right, m.index(0), shape.unroll, std::move(sums));
  }
  int64_t done = steps * shape.unroll;
  return step(left, right, m.index(done), depth - done, std::move(sums));
}

TileEmitter::Sums TileEmitter::accumulate(const TileLeft &left, const TileRight &right, Value depth,
                                          Sums sums) {
  IndexMath m(b);
  Value done = m.index(0);
  if (shape.unroll > 1) {
    Value steps = b.createOrFold<arith::DivUIOp>(depth, m.index(shape.unroll));
    sums = loop(m.index(0), steps, std::move(sums), [&](Value i, Sums carried) {
      return step(left, right, m.mul(i, shape.unroll), shape.unroll, std::move(carried));
    });
    done = m.mul(steps, shape.unroll);
  }
  return loop(done, depth, std::move(sums),
              [&](Value k, Sums carried) { return step(left, right, k, 1, std::move(carried)); });
}

TileEmitter::Sums TileEmitter::step(const TileLeft &left, const TileRight &right, Value first,
                                    int64_t depth, Sums sums) {
  IndexMath m(b);
  Lanes lanes(b, shape.lanes);
  Value leftFirst = m.add(left.offset, m.mul(first, left.depthStride));
  Value rightFirst = m.add(right.offset, m.mul(first, right.depthStride));
  for (int64_t k = 0; k < depth; ++k) {
    SmallVector<Value> vectors;
    for (int64_t column : shape.columns) {
      Value offset = m.add(rightFirst, k * right.depthStride + column);
      vectors.push_back(load(lanes, right.memory, Index{offset, 1, {}}));
    }
    for (int64_t row = 0; row < shape.rows; ++row) {
      Value offset = m.add(leftFirst, row * left.rowStride + k * left.depthStride);
      Value factor = lanes.splat(load(lanes, left.memory, lanes.uniform(offset)));
      for (auto [v, vector] : llvm::enumerate(vectors)) {
        Value &sum = sums[row * shape.vectors() + static_cast<int64_t>(v)];
        sum = lanes.fma(factor, vector, sum);
      }
    }
  }
  return sums;
}

TileEmitter::Sums TileEmitter::loop(Value low, Value high, Sums sums,
                                    llvm::function_ref<Sums(Value, Sums)> body) {
  auto op = b.create<scf::ForOp>(low, high, IndexMath(b).index(1), sums);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(op.getBody());
  b.create<scf::YieldOp>(body(op.getInductionVar(), Sums(op.getRegionIterArgs())));
  return Sums(op.getResults());
}

} // namespace convoy::kernels
