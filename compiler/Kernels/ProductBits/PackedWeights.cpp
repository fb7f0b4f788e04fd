// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements PackedWeights.

#include "Kernels/ProductBits/PackedWeights.h"
#include "Kernels/Core/LaneMemory.h"
#include <cmath>

using namespace mlir;

namespace convoy::kernels {

constexpr int64_t kWordBytes = 4;
constexpr int64_t kLineBytes = 64;
/// The distance of prefetched words. A kernel of one row takes the time to read its words from
/// memory. On Cascade Lake, 4 KiB and 8 KiB are equally fast and 1 KiB is slower; without
/// prefetches, the hardware reads 10 % to 30 % fewer bytes per second.
constexpr int64_t kAheadBytes = 4096;
constexpr unsigned kFirstLevel = 3; // memref.prefetch locality

Value PackedWeights::wordsBefore(Value panel, Value block, Value word) {
  return add(mul(add(mul(panel, p.blocks()), block), p.blockWords()), word);
}

Value PackedWeights::loadWord(const Place &place, Value word) {
  Value words = wordsBefore(place.panel, place.block, word);
  return loadInts(b, function.operand(p.weight),
                  mul(add(mul(words, plan.width), place.vector * plan.lanes), kWordBytes),
                  plan.lanes);
}

void PackedWeights::fetchWords(Value panel, Value block, Value word) {
  int64_t bytes = plan.width * kWordBytes;
  Value first = add(mul(wordsBefore(panel, block, word), bytes), kAheadBytes);
  for (int64_t line = 0; line < bytes; line += kLineBytes) {
    b.create<memref::PrefetchOp>(function.operand(p.weight), ValueRange{add(first, line)},
                                 /*isWrite=*/false, kFirstLevel, /*isDataCache=*/true);
  }
}

/// Loads entries of an operand with one entry per block, in the layout of the panels.
Value PackedWeights::load(unsigned operand, const Place &place, ElementType type) {
  Value argument = function.body().getArgument(operand);
  ElementType stored = fromMlir(cast<RankedTensorType>(argument.getType()).getElementType());
  Value entry = add(mul(place.panel, p.blocks()), place.block);
  Value offset = add(mul(entry, plan.width), place.vector * plan.lanes);
  Value loaded =
      kernels::load(lanes, Buffer{function.operand(operand), stored}, Index{offset, 1, {}});
  return convert(lanes, loaded, stored, type);
}

Value PackedWeights::loadScale(const Place &place) {
  return load(p.scale, place, ElementType::F32);
}

Value PackedWeights::loadZeros(const Place &place, ElementType type) {
  bool isFloat = type == ElementType::F32;
  auto offset = static_cast<int32_t>(p.offset());
  Value middle;
  if (offset != 0) {
    middle = isFloat ? splat(static_cast<float>(offset)) : splat(offset);
  }
  if (!p.zeroPoint) {
    return middle;
  }
  Value zeros = load(*p.zeroPoint, place, type);
  if (!middle) {
    return zeros;
  }
  return isFloat ? b.create<arith::AddFOp>(zeros, middle).getResult()
                 : b.create<arith::AddIOp>(zeros, middle).getResult();
}

Value PackedWeights::select(Value words, int64_t j, bool isShifted) {
  int64_t shift = p.bits * j;
  bool isLast = j + 1 == p.perWord();
  if (shift > 0 && (isShifted || isLast)) {
    words = b.create<arith::ShRUIOp>(words, splat(static_cast<int32_t>(shift)));
    shift = 0;
  }
  if (!isLast) {
    int64_t mask = ((int64_t(1) << p.bits) - 1) << shift;
    words = b.create<arith::AndIOp>(words, splat(static_cast<int32_t>(mask)));
  }
  return b.create<arith::SIToFPOp>(lanes.type(b.getF32Type()), words);
}

Value PackedWeights::weightOf(Value words, int64_t j) { return select(words, j, true); }
Value PackedWeights::scaledWeightOf(Value words, int64_t j) { return select(words, j, false); }

/// The last weight of a word is shifted, which is as fast as a mask. Its sign would be the sign of
/// the word otherwise.
double PackedWeights::scaleOf(int64_t j) const {
  return j + 1 == p.perWord() ? 1 : std::ldexp(1.0, static_cast<int>(p.bits * j));
}

Value PackedWeights::splat(int32_t value) {
  return b.create<arith::ConstantOp>(
      DenseElementsAttr::get(VectorType::get({plan.lanes}, b.getI32Type()), value));
}

Value PackedWeights::splat(float value) {
  return b.create<arith::ConstantOp>(
      DenseElementsAttr::get(VectorType::get({plan.lanes}, b.getF32Type()), value));
}

} // namespace convoy::kernels
