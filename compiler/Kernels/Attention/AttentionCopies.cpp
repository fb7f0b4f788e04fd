// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the copies of the queries of a block and of the values of a head.

#include "Kernels/Attention/AttentionEmitter.h"
#include "Kernels/Loops/Arithmetic.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace convoy::kernels::attention {

/// Lanes of the largest square that is transposed in registers. The code grows with the square.
static constexpr int64_t kMostTransposed = 16;

/// Copies the queries of the block, scaled, with adjacent queries in adjacent lanes.
void AttentionEmitter::packQueries(const BlockPlace &place) {
  int64_t queryStride = p.query.view.stride(first);
  Value start = add(place.query, mul(place.firstQuery, queryStride));
  if (p.query.view.stride(first + 1) == 1 && lanes > 1 &&
      lanes <= std::min(p.headSize, kMostTransposed)) {
    transposeQueries(start, queryStride);
    return;
  }
  Lanes l(b, lanes);
  Buffer memory{memoryOf(p.query), ElementType::F32};
  loop(index(0), index(p.headSize), [&](Value e) {
    Value from = add(start, mul(e, p.query.view.stride(first + 1)));
    for (int64_t v = 0; v < vectors; ++v) {
      Index at{add(from, v * lanes * queryStride), lanes > 1 ? queryStride : 0, {}};
      Value x = scaled(l.splat(load(l, memory, at)));
      storeLanes(b, x, queryMemory, add(mul(e, block), v * lanes));
    }
  });
}

Value AttentionEmitter::scaled(Value x) {
  Arithmetic a{Lanes(b, lanes), ElementType::F32};
  return p.factor == 1 ? x : a.mul(x, a.number(p.factor));
}

/// Transposes squares of `lanes` queries and elements in registers. The last square overlaps the
/// one before it.
void AttentionEmitter::transposeQueries(Value start, int64_t queryStride) {
  Value memory = memoryOf(p.query);
  int64_t squares = kernels::ceilDiv(p.headSize, lanes);
  loop(index(0), index(squares), [&](Value square) {
    Value element = min(mul(square, lanes), p.headSize - lanes);
    for (int64_t v = 0; v < vectors; ++v) {
      SmallVector<Value> lines;
      for (int64_t i = 0; i < lanes; ++i) {
        Value from = add(add(start, element), (v * lanes + i) * queryStride);
        lines.push_back(scaled(loadLanes(b, memory, from, lanes)));
      }
      transpose(lines);
      for (int64_t i = 0; i < lanes; ++i) {
        storeLanes(b, lines[i], queryMemory, add(mul(add(element, i), block), v * lanes));
      }
    }
  });
}

/// Transposes a square of vectors. Step n exchanges bit n of the lane with bit n of the line.
void AttentionEmitter::transpose(MutableArrayRef<Value> lines) {
  for (int64_t step = 1; step < lanes; step *= 2) {
    SmallVector<int64_t> low, high;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      bool isUpper = (lane & step) != 0;
      low.push_back(isUpper ? lanes + lane - step : lane);
      high.push_back(isUpper ? lanes + lane : lane + step);
    }
    for (int64_t i = 0; i < lanes; ++i) {
      if ((i & step) == 0) {
        Value first = lines[i], second = lines[i + step];
        lines[i] = b.create<vector::ShuffleOp>(first, second, low);
        lines[i + step] = b.create<vector::ShuffleOp>(first, second, high);
      }
    }
  }
}

/// Copies the values of a head with adjacent elements in adjacent lanes, once per head.
void AttentionEmitter::packValues(Value task, const BlockPlace &place) {
  Value isFirst = b.create<arith::CmpIOp>(arith::CmpIPredicate::eq, task, function.begin());
  Value number = b.createOrFold<arith::RemUIOp>(task, index(blocks));
  Value isNew = b.create<arith::CmpIOp>(arith::CmpIPredicate::eq, number, index(0));
  branch(b.create<arith::OrIOp>(isFirst, isNew), [&] {
    Buffer memory{memoryOf(p.value), ElementType::F32};
    loop(index(0), index(p.keys), [&](Value key) {
      Value from = add(place.value, mul(key, p.value.view.stride(first)));
      forVectors(p.valueSize, machine.lanes(), [&](int64_t at, int64_t width) {
        int64_t stride = p.value.view.stride(first + 1);
        Lanes l(b, width);
        Value x = load(l, memory, {add(from, at * stride), width > 1 ? stride : 0, {}});
        storeLanes(b, l.splat(x), valueMemory, add(mul(key, p.valueSize), at));
      });
    });
  });
}

} // namespace convoy::kernels::attention
