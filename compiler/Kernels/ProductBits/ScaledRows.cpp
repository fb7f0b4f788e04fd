// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements ScaledRows. Weight j of a word is used where it is, as a multiple of a power of two,
// so its input is divided by this power.

#include "Kernels/Core/LaneMemory.h"
#include "Kernels/ProductBits/PackedRows.h"

using namespace mlir;

namespace convoy::kernels {

void ScaledRows::copyBlock(Value row, Value block, int64_t count) {
  int64_t perWord = p.perWord();
  SmallVector<float> factors;
  for (int64_t j = 0; j < perWord; ++j) {
    factors.push_back(static_cast<float>(1 / weights.scaleOf(j)));
  }
  Value all = b.create<arith::ConstantOp>(
      DenseElementsAttr::get(VectorType::get({perWord}, b.getF32Type()), ArrayRef(factors)));
  Value zeros = real(0, perWord), to = mul(blockOf(row, block), p.block);
  Values parts =
      forWords(row, block, count, {zeros}, [&](Value word, Value x, const Values &carried) {
        storeLanes(b, b.create<arith::MulFOp>(x, all), inputs, add(to, mul(word, perWord)));
        return Values{b.create<arith::AddFOp>(carried[0], x)};
      });
  loop(index(kernels::ceilDiv(count, perWord)), index(p.blockWords()),
       [&](Value word) { storeLanes(b, zeros, inputs, add(to, mul(word, perWord))); });
  Value sum = foldLanes(b, parts[0], [&](Value low, Value high) -> Value {
    return b.create<arith::AddFOp>(low, high);
  });
  float zero = p.zeroPoint ? 1.0F : static_cast<float>(p.offset());
  storeLanes(b, b.create<arith::MulFOp>(sum, real(-zero)), sums, blockOf(row, block));
}

LoopNest::Values ScaledRows::addBlock(Value panel, Value block, const RowTile &tile, Values acc) {
  Values parts =
      loop(p.blockWords(), startBlock(panel, block, tile), [&](Value word, Values carried) {
        return addWord(panel, block, word, tile, std::move(carried));
      });
  for (int64_t v = 0; v < plan.vectors; ++v) {
    Value scale = weights.loadScale({panel, block, v});
    for (int64_t i = v * tile.height; i < (v + 1) * tile.height; ++i) {
      acc[i] = lanes.fma(parts[i], scale, acc[i]);
    }
  }
  return acc;
}

/// Returns what the zero points add to the sums of a block.
LoopNest::Values ScaledRows::startBlock(Value panel, Value block, const RowTile &tile) {
  Values parts(plan.vectors * tile.height, real(0, plan.lanes));
  if (!p.zeroPoint && p.offset() == 0) {
    return parts;
  }
  for (int64_t v = 0; v < plan.vectors; ++v) {
    Value zeros = p.zeroPoint ? weights.loadZeros({panel, block, v}, ElementType::F32) : Value();
    for (int64_t row = 0; row < tile.height; ++row) {
      Value sum = lanes.splat(loadLanes(b, sums, blockOf(add(tile.row, row), block), 1));
      parts[v * tile.height + row] = zeros ? b.create<arith::MulFOp>(zeros, sum).getResult() : sum;
    }
  }
  return parts;
}

LoopNest::Values ScaledRows::addWord(Value panel, Value block, Value word, const RowTile &tile,
                                     Values parts) {
  Values words = loadWords(panel, block, word);
  int64_t rowElements = p.blocks() * p.block;
  Value first = add(mul(blockOf(tile.row, block), p.block), mul(word, p.perWord()));
  for (int64_t j = 0; j < p.perWord(); ++j) {
    Values x;
    for (int64_t row = 0; row < tile.height; ++row) {
      x.push_back(lanes.splat(loadLanes(b, inputs, add(first, row * rowElements + j), 1)));
    }
    for (int64_t v = 0; v < plan.vectors; ++v) {
      Value weight = weights.scaledWeightOf(words[v], j);
      for (int64_t row = 0; row < tile.height; ++row) {
        Value &part = parts[v * tile.height + row];
        part = lanes.fma(weight, x[row], part);
      }
    }
  }
  return parts;
}

} // namespace convoy::kernels
