// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the products of the weights with the values, and the stores of the results.

#include "Kernels/Attention/AttentionEmitter.h"
#include "Kernels/Loops/Arithmetic.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace convoy::kernels::attention {

/// Keys of the smallest part of the product with the values. Fewer products would not pay for the
/// loads and stores of the sums.
static constexpr int64_t kLeastPart = 32;

/// Multiplies the weights with the values, in parts of the keys whose weights and values stay in
/// the first-level cache while all tiles of rows read them.
void AttentionEmitter::emitResults(const BlockPlace &place, const KeyRange &range) {
  int64_t keyBytes = (p.valueSize + block) * 4;
  int64_t part = std::max(machine.firstCacheBytes / 2 / keyBytes, kLeastPart);
  part = kernels::ceilDiv(range.count, kernels::ceilDiv(range.count, part)); // equal parts
  if (range.count == p.keys && part < p.keys) {
    clearResults();
  }
  loop(index(0), index(kernels::ceilDiv(range.count, part)), [&](Value i) {
    KeyBounds bounds{mul(i, part), min(add(mul(i, part), part), range.count), range.first};
    auto group = columnVectors(rows, static_cast<int64_t>(columns.size()), machine);
    for (ArrayRef<Column> rest = columns; !rest.empty();
         rest = rest.drop_front(std::min<size_t>(group, rest.size()))) {
      ArrayRef<Column> own = rest.take_front(group);
      loop(index(0), index(block / rows), [&](Value tile) {
        emitResultTile(place, own, mul(tile, rows), bounds, /*isWhole=*/part == p.keys);
      });
    }
  });
}

void AttentionEmitter::clearResults() {
  loop(index(0), index(block), [&](Value row) {
    for (const Column &column : columns) {
      storeLanes(b, zeroOf(column), resultMemory, add(mul(row, slots), column.slot));
    }
  });
}

Value AttentionEmitter::zeroOf(const Column &column) {
  Lanes l(b, column.width);
  return l.splat(l.constantOf(b.getF32Type(), 0));
}

/// Adds the products of some keys to some columns of a tile of rows.
void AttentionEmitter::emitResultTile(const BlockPlace &place, ArrayRef<Column> own, Value firstRow,
                                      const KeyBounds &bounds, bool isWhole) {
  auto resultAt = [&](int64_t row, const Column &column) {
    return add(mul(add(firstRow, row), slots), column.slot);
  };
  Carried initial;
  for (int64_t row = 0; row < rows; ++row) {
    for (const Column &column : own) {
      initial.push_back(isWhole ? zeroOf(column)
                                : loadLanes(b, resultMemory, resultAt(row, column), column.width));
    }
  }
  Carried sums = loop(bounds.begin, bounds.end, initial, [&](Value slot, Carried now) {
    Value key = add(bounds.offset, slot);
    return addValues(place, own, slot, key, firstRow, std::move(now));
  });
  for (int64_t row = 0; row < rows; ++row) {
    for (auto [i, column] : llvm::enumerate(own)) {
      storeLanes(b, sums[row * own.size() + i], resultMemory, resultAt(row, column));
    }
  }
}

/// `slot` is the number of the key in the scores in scratch memory.
Carried AttentionEmitter::addValues(const BlockPlace &place, ArrayRef<Column> own, Value slot,
                                    Value key, Value firstRow, Carried next) {
  Value from = add(place.value, mul(key, valueStride));
  Carried loaded;
  for (const Column &column : own) {
    Lanes l(b, column.width);
    Index at{add(from, column.first * elementStride), column.width > 1 ? elementStride : 0, {}};
    loaded.push_back(l.splat(load(l, {valueMemory, ElementType::F32}, at)));
  }
  Value weights = add(mul(slot, block), firstRow);
  for (int64_t row = 0; row < rows; ++row) {
    Value weight = b.create<memref::LoadOp>(scoreMemory, add(weights, row));
    for (auto [i, column] : llvm::enumerate(own)) {
      Lanes l(b, column.width);
      Value &sum = next[row * own.size() + i];
      sum = l.fma(l.splat(weight), loaded[i], sum);
    }
  }
  return next;
}

/// Multiplies the results by the inverse sums of their rows and stores the rows of this task.
void AttentionEmitter::store(const BlockPlace &place) {
  Buffer memory{function.result(0), ElementType::F32};
  loop(place.firstOwn, index(block), [&](Value row) {
    Value query = add(place.firstQuery, row);
    Value to = add(place.result, mul(query, p.result.stride(first)));
    int64_t stride = p.result.stride(first + 1);
    Value inverse;
    if (p.dividesLast()) {
      inverse = b.create<memref::LoadOp>(sumMemory, row);
    }
    for (const Column &column : columns) {
      Arithmetic a{Lanes(b, column.width), ElementType::F32};
      Value from = add(mul(row, slots), column.slot);
      Value x = loadLanes(b, resultMemory, from, column.width);
      x = inverse ? a.mul(x, inverse) : x;
      Index at{add(to, column.first * stride), column.width > 1 ? stride : 0, {}};
      kernels::store(a.lanes, memory, at, x);
    }
  });
}

} // namespace convoy::kernels::attention
