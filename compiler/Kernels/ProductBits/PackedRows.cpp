// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements PackedRows.

#include "Kernels/ProductBits/PackedRows.h"
#include "Kernels/Core/LaneMemory.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace convoy::kernels {

void PackedRows::copy() {
  loop(p.rows, [&](Value row) {
    int64_t whole = p.depth / p.block;
    loop(index(0), index(whole), [&](Value block) { copyBlock(row, block, p.block); });
    if (p.depth % p.block != 0) {
      copyBlock(row, index(whole), p.depth % p.block);
    }
  });
}

LoopNest::Values PackedRows::forWords(Value row, Value block, int64_t count, Values carried,
                                      llvm::function_ref<Values(Value, Value, Values)> body) {
  int64_t perWord = p.perWord(), whole = count / perWord, rest = count % perWord;
  Value x = function.operand(p.input);
  Value first = add(mul(row, p.depth), mul(block, p.block));
  carried = loop(index(0), index(whole), std::move(carried), [&](Value word, Values now) {
    Value loaded = loadLanes(b, x, add(first, mul(word, perWord)), perWord);
    return body(word, loaded, std::move(now));
  });
  if (rest == 0) {
    return carried;
  }
  Value last = real(0, perWord);
  for (int64_t j = 0; j < rest; ++j) {
    Value element = loadLanes(b, x, add(first, whole * perWord + j), 1);
    last = b.create<vector::InsertOp>(element, last, j);
  }
  return body(index(whole), last, std::move(carried));
}

LoopNest::Values PackedRows::loadWords(Value panel, Value block, Value word) {
  if (plan.fetchesWords) {
    weights.fetchWords(panel, block, word);
  }
  Values words;
  for (int64_t v = 0; v < plan.vectors; ++v) {
    words.push_back(weights.loadWord({panel, block, v}, word));
  }
  return words;
}

Value PackedRows::real(float value, int64_t count) {
  if (count == 1) {
    return b.create<arith::ConstantOp>(b.getF32FloatAttr(value));
  }
  VectorType type = VectorType::get({count}, b.getF32Type());
  return b.create<arith::ConstantOp>(DenseElementsAttr::get(type, value));
}

Value PackedRows::integer(int32_t value, int64_t count) {
  if (count == 1) {
    return b.create<arith::ConstantOp>(b.getI32IntegerAttr(value));
  }
  VectorType type = VectorType::get({count}, b.getI32Type());
  return b.create<arith::ConstantOp>(DenseElementsAttr::get(type, value));
}

} // namespace convoy::kernels
