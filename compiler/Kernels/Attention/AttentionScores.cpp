// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the mask, the scores of some keys, their maxima, and the exponentials of the softmax with
// their sums.

#include "Kernels/Attention/AttentionEmitter.h"
#include "Kernels/Core/FloatMultiply.h"
#include "Kernels/Core/InterleaveChains.h"
#include "Kernels/Core/RegisterTile.h"
#include "Kernels/Loops/Arithmetic.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include <cmath>

using namespace mlir;

namespace convoy::kernels::attention {

/// Keys per step of the passes over stored scores and masks. A step combines its values in pairs,
/// so that the rounding error of the sum of exponentials grows with the number of steps and not
/// with the number of keys.
static constexpr int64_t kStepKeys = 8;

/// Returns whether the mask allows a key of the chunk for a query of the block.
Value AttentionEmitter::isAnyAllowed(const BlockPlace &place, const KeyRange &range) {
  Arithmetic a{Lanes(b, lanes), ElementType::F32};
  Carried found =
      forTiles(range, std::min(kStepKeys, range.count), {a.lanes.splat(a.number(0))},
               [&](const KeyRange &step, ArrayRef<Value> now) {
                 Carried flags(now);
                 elements.width = lanes;
                 for (int64_t i = 0; i < step.count * vectors; ++i) {
                   Value key = add(step.first, i / vectors);
                   flags.push_back(allowedFlag(scoreAt(place, i % vectors, key)));
                 }
                 elements.width = 1;
                 return Carried{inPairs(flags, [&](Value x, Value y) { return larger(x, y); })};
               });
  // The factors are not in use before the chunk.
  storeLanes(b, found[0], factorMemory, index(0));
  Lanes scalar(b, 1);
  Value zero = scalar.constantOf(b.getF32Type(), 0);
  Carried any = loop(lanes, {zero}, [&](Value lane, const Carried &now) {
    return Carried{larger(b.create<memref::LoadOp>(factorMemory, lane), now[0])};
  });
  return b.create<arith::CmpFOp>(arith::CmpFPredicate::OGT, any[0], zero);
}

/// Returns 1 in the lanes whose score the mask does not replace by -inf, and 0 in the others. Not
/// an i1, because loops that carry a vector of i1 are slow on targets without mask registers.
Value AttentionEmitter::allowedFlag(ArrayRef<Index> at) {
  Lanes l(b, lanes);
  Arithmetic a{l, ElementType::F32};
  Value mask = elements.broadcast(p.mask, at);
  Value one = a.number(1), zero = a.number(0);
  if (!p.isMaskAdded) {
    return l.splat(l.select(mask, p.excludes ? zero : one, p.excludes ? one : zero));
  }
  Value isFinite = l.compare(arith::CmpFPredicate::UNE, mask, a.number(-HUGE_VAL));
  return l.splat(l.select(isFinite, one, zero));
}

/// Computes the scores of some keys and returns the maxima of them and `largest`, one per lane
/// and vector.
Carried AttentionEmitter::emitScores(const BlockPlace &place, const KeyRange &range,
                                     Carried largest) {
  return forTiles(range, keys, std::move(largest), [&](const KeyRange &tile, ArrayRef<Value> now) {
    return emitScoreTile(place, range, tile, now);
  });
}

Carried AttentionEmitter::emitScoreTile(const BlockPlace &place, const KeyRange &range,
                                        const KeyRange &tile, ArrayRef<Value> largest) {
  Carried sums = scoreProducts(place, tile.first, tile.count);
  Lanes l(b, lanes);
  Carried next;
  elements.width = lanes;
  for (int64_t v = 0; v < vectors; ++v) {
    Carried scores;
    for (int64_t i = 0; i < tile.count; ++i) {
      Value key = add(tile.first, i);
      SmallVector<Index> at = scoreAt(place, v, key);
      elements.provide(p.scores, at, sums[v * tile.count + i]);
      scores.push_back(l.splat(elements.element(p.input, at)));
      storeLanes(b, scores.back(), scoreMemory, scoreSlot(range, key, v));
    }
    Value most = inPairs(scores, [&](Value x, Value y) { return larger(x, y); });
    next.push_back(larger(most, largest[v]));
  }
  elements.width = 1;
  return next;
}

/// Returns the larger value, or `y` if one of them is NaN. A row with NaN needs no maximum: the
/// exponential of NaN makes its sum NaN, and so all results of the row.
Value AttentionEmitter::larger(Value x, Value y) {
  Value isLarger = b.create<arith::CmpFOp>(arith::CmpFPredicate::OGT, x, y);
  return b.create<arith::SelectOp>(isLarger, x, y);
}

/// Combines values in pairs, which shortens the chain of dependent operations.
Value AttentionEmitter::inPairs(Carried values, llvm::function_ref<Value(Value, Value)> combine) {
  for (; values.size() > 1; values.resize((values.size() + 1) / 2)) {
    for (size_t i = 0; i < values.size() / 2; ++i) {
      values[i] = combine(values[i], values[values.size() - 1 - i]);
    }
  }
  return values[0];
}

/// Computes the products of `count` keys with the queries of the block.
Carried AttentionEmitter::scoreProducts(const BlockPlace &place, Value firstKey, int64_t count) {
  int64_t keyStride = p.key.view.stride(first + 1);
  Value start = add(place.key, mul(firstKey, keyStride));
  FloatMultiply product(b, {memoryOf(p.key), ElementType::F32}, {queryMemory, ElementType::F32},
                        lanes);
  RegisterTile tile(product, vectors, count);
  Value zero = b.create<arith::ConstantOp>(b.getZeroAttr(product.type));
  return loop(p.headSize, Carried(count * vectors, zero), [&](Value e, Carried sums) {
    Value from = add(start, mul(e, p.key.view.stride(first)));
    auto queryAt = [&](int64_t, int64_t v) { return add(mul(e, block), v * lanes); };
    auto keyAt = [&](int64_t, int64_t i) { return add(from, i * keyStride); };
    return tile.accumulate(1, queryAt, keyAt, std::move(sums));
  });
}

/// Replaces the scores by their exponentials and returns `sums` plus the exponentials.
Carried AttentionEmitter::emitExponentials(const BlockPlace &place, const KeyRange &range,
                                           ArrayRef<Value> largest, Carried sums) {
  return forTiles(range, std::min(kStepKeys, range.count), std::move(sums),
                  [&](const KeyRange &step, ArrayRef<Value> now) {
                    return exponentials(place, range, step, largest, now);
                  });
}

Carried AttentionEmitter::exponentials(const BlockPlace &place, const KeyRange &range,
                                       const KeyRange &step, ArrayRef<Value> largest,
                                       ArrayRef<Value> sums) {
  Arithmetic a{Lanes(b, lanes), ElementType::F32};
  elements.width = lanes;
  Carried next;
  for (int64_t v = 0; v < vectors; ++v) {
    Carried parts;
    interleaveChains(b, step.count, [&](int64_t i) {
      Value key = add(step.first, i);
      Value to = scoreSlot(range, key, v);
      SmallVector<Index> at = scoreAt(place, v, key);
      elements.provide(p.input, at, loadLanes(b, scoreMemory, to, lanes));
      elements.provide(p.largest, at, largest[v]);
      parts.push_back(a.lanes.splat(elements.element(p.exponential, at)));
      storeLanes(b, parts.back(), scoreMemory, to);
    });
    Value sum = inPairs(parts, [&](Value x, Value y) { return a.add(x, y); });
    next.push_back(a.add(sums[v], sum));
  }
  elements.width = 1;
  return next;
}

/// Replaces the exponentials by the results of the ops that follow the softmax.
void AttentionEmitter::emitWeights(const BlockPlace &place, ArrayRef<Value> sums) {
  Lanes l(b, lanes);
  loop(index(0), index(p.keys), [&](Value key) {
    elements.width = lanes;
    for (int64_t v = 0; v < vectors; ++v) {
      Value to = add(mul(key, block), v * lanes);
      SmallVector<Index> at = scoreAt(place, v, key);
      elements.provide(p.exponential, at, loadLanes(b, scoreMemory, to, lanes));
      elements.provide(p.sum, at, sums[v]);
      storeLanes(b, l.splat(elements.element(p.weights, at)), scoreMemory, to);
    }
    elements.width = 1;
  });
}

} // namespace convoy::kernels::attention
