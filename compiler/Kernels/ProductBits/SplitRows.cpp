// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements SplitRows. An input x of a block with the largest magnitude m becomes the integer
// round(x * most / m), and the integer becomes signed bytes, the lowest first:
//
//     v = d0 + 256 d1 + 65536 d2,    most = 127 * 65536
//
// The products of weights and bytes are exact. Three bytes keep as many bits of the largest input
// as f32 has.

#include "Kernels/Core/LaneMemory.h"
#include "Kernels/ProductBits/PackedRows.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

constexpr int64_t kSumBytes = 4;
constexpr float kByteRange = 256;
/// Blocks whose inputs are all smaller count as zero, because most / m would not be finite.
constexpr float kLeastInput = 1e-30F;

/// Returns the integer of the largest input. Larger integers have the same bytes, so a rounding
/// error does not reach the sign.
float mostInteger(int64_t bytes) {
  float most = 127;
  for (int64_t i = 1; i < bytes; ++i) {
    most *= kByteRange;
  }
  return most;
}

} // namespace

Value SplitRows::placeOf(Value row, Value block, Value word, int64_t plane) {
  Value words = add(mul(blockOf(row, block), p.blockWords()), word);
  return mul(add(mul(words, plan.bytes), plane), p.perWord());
}

Value SplitRows::sumPlace(Value row, Value block, int64_t plane) {
  Value entry = add(mul(blockOf(row, block), plan.bytes + 1), plane);
  return add(mul(entry, kSumBytes), plan.inputElements * kSumBytes);
}

/// Returns the largest magnitude of a block, or NaN if an input is NaN.
Value SplitRows::mostOf(Value row, Value block, int64_t count) {
  Values most = forWords(row, block, count, {real(0, p.perWord())},
                         [&](Value, Value x, const Values &carried) -> Values {
                           Value magnitude = b.create<math::AbsFOp>(x);
                           return {b.create<arith::MaximumFOp>(carried[0], magnitude)};
                         });
  return foldLanes(b, most[0], [&](Value low, Value high) -> Value {
    return b.create<arith::MaximumFOp>(low, high);
  });
}

void SplitRows::copyBlock(Value row, Value block, int64_t count) {
  int64_t perWord = p.perWord();
  Value most = mostOf(row, block, count);
  float limit = mostInteger(plan.bytes);
  Value isUsed = b.create<arith::CmpFOp>(arith::CmpFPredicate::OGT, most, real(kLeastInput));
  Value divisor = b.create<arith::SelectOp>(isUsed, most, real(1));
  Value factor =
      b.create<arith::SelectOp>(isUsed, b.create<arith::DivFOp>(real(limit), divisor), real(0));
  Values zeros(plan.bytes, integer(0, perWord));
  Values sums =
      forWords(row, block, count, zeros, [&](Value word, Value x, Values carried) -> Values {
        return storeWord(placeOf(row, block, word, 0), x, factor, std::move(carried));
      });
  Value none = b.create<arith::ConstantOp>(
      b.getZeroAttr(VectorType::get({perWord * plan.bytes}, b.getI8Type())));
  loop(index(kernels::ceilDiv(count, perWord)), index(p.blockWords()), [&](Value word) {
    b.create<vector::StoreOp>(none, function.scratch(), placeOf(row, block, word, 0));
  });
  int64_t zero = p.zeroPoint ? 1 : p.offset() - flip;
  for (int64_t plane = 0; plane < plan.bytes; ++plane) {
    Value sum = foldLanes(b, sums[plane], [&](Value low, Value high) -> Value {
      return b.create<arith::AddIOp>(low, high);
    });
    sum = b.create<arith::MulIOp>(sum, integer(static_cast<int32_t>(-zero)));
    storeScalar(b, sum, function.scratch(), sumPlace(row, block, plane));
  }
  Value scale = b.create<arith::MulFOp>(most, real(1 / limit));
  storeScalar(b, b.create<arith::BitcastOp>(b.getI32Type(), scale), function.scratch(),
              sumPlace(row, block, plan.bytes));
}

/// Splits the inputs of a word. The four bytes that a dot product multiplies are adjacent: those
/// with the same place in their byte of weights.
LoopNest::Values SplitRows::storeWord(Value place, Value x, Value factor, Values sums) {
  int64_t perWord = p.perWord();
  auto ints = VectorType::get({perWord}, b.getI32Type());
  auto bytes = VectorType::get({perWord}, b.getI8Type());
  Lanes l(b, perWord);
  Value scaled = b.create<math::RoundEvenOp>(l.op<arith::MulFOp>(x, factor));
  Value isNumber = l.compare(arith::CmpFPredicate::ORD, scaled, scaled);
  Value rest = b.create<arith::FPToSIOp>(ints, l.select(isNumber, scaled, real(0)));
  SmallVector<int64_t> order;
  for (int64_t group = 0; group < groups; ++group) {
    for (int64_t k = group; k < perWord; k += groups) {
      order.push_back(k);
    }
  }
  for (int64_t plane = 0; plane < plan.bytes; ++plane) {
    Value digits = b.create<arith::TruncIOp>(bytes, rest);
    Value wide = b.create<arith::ExtSIOp>(ints, digits);
    sums[plane] = b.create<arith::AddIOp>(sums[plane], wide);
    rest = b.create<arith::ShRSIOp>(b.create<arith::SubIOp>(rest, wide), integer(8, perWord));
    b.create<vector::StoreOp>(b.create<vector::ShuffleOp>(digits, digits, order),
                              function.scratch(), add(place, plane * perWord));
  }
  return sums;
}

LoopNest::Values SplitRows::addBlock(Value panel, Value block, const RowTile &tile, Values acc) {
  Values parts =
      loop(p.blockWords(), startBlock(panel, block, tile), [&](Value word, Values carried) {
        return addWord(panel, block, word, tile, std::move(carried));
      });
  Type f32 = lanes.type(b.getF32Type());
  for (int64_t v = 0; v < plan.vectors; ++v) {
    Value scale = weights.loadScale({panel, block, v});
    for (int64_t row = 0; row < tile.height; ++row) {
      int64_t i = v * tile.height + row;
      Value sum = b.create<arith::SIToFPOp>(f32, parts[(i + 1) * plan.bytes - 1]);
      for (int64_t plane = plan.bytes - 1; plane-- > 0;) {
        Value lower = b.create<arith::SIToFPOp>(f32, parts[i * plan.bytes + plane]);
        sum = lanes.fma(sum, real(kByteRange, plan.lanes), lower);
      }
      Value bits = loadScalar(b, function.scratch(),
                              sumPlace(add(tile.row, row), block, plan.bytes), b.getI32Type());
      Value own = lanes.splat(b.create<arith::BitcastOp>(b.getF32Type(), bits));
      acc[i] = lanes.fma(sum, b.create<arith::MulFOp>(scale, own), acc[i]);
    }
  }
  return acc;
}

/// Returns what the zero points add to the sums of a block, [vector][row][plane].
LoopNest::Values SplitRows::startBlock(Value panel, Value block, const RowTile &tile) {
  Values parts;
  for (int64_t v = 0; v < plan.vectors; ++v) {
    Value zeros = p.zeroPoint ? weights.loadZeros({panel, block, v}, ElementType::I32) : Value();
    if (zeros && flip != 0) {
      zeros = b.create<arith::SubIOp>(zeros, dot.splat(static_cast<int32_t>(flip)));
    }
    for (int64_t i = 0; i < tile.height * plan.bytes; ++i) {
      Value place = sumPlace(add(tile.row, i / plan.bytes), block, i % plan.bytes);
      Value sum = hasZeros() ? lanes.splat(loadScalar(b, function.scratch(), place, b.getI32Type()))
                             : dot.splat(0);
      parts.push_back(zeros ? b.create<arith::MulIOp>(zeros, sum).getResult() : sum);
    }
  }
  return parts;
}

/// Returns the weights of each word with one place in their byte, as four bytes.
Value SplitRows::groupOf(Value words, int64_t group) {
  if (groups == 1) {
    return flip == 0 ? words
                     : b.create<arith::XOrIOp>(words, dot.splat(static_cast<int32_t>(0x80808080)))
                           .getResult();
  }
  if (group > 0) {
    words = b.create<arith::ShRUIOp>(words, dot.splat(static_cast<int32_t>(group * p.bits)));
  }
  return b.create<arith::AndIOp>(
      words, dot.splat(static_cast<int32_t>(((1U << p.bits) - 1) * 0x01010101U)));
}

LoopNest::Values SplitRows::addWord(Value panel, Value block, Value word, const RowTile &tile,
                                    Values parts) {
  Values words = loadWords(panel, block, word);
  for (int64_t group = 0; group < groups; ++group) {
    Values own;
    for (Value each : words) {
      own.push_back(groupOf(each, group));
    }
    for (int64_t i = 0; i < tile.height * plan.bytes; ++i) {
      Value place = placeOf(add(tile.row, i / plan.bytes), block, word, i % plan.bytes);
      Value x = lanes.splat(
          loadScalar(b, function.scratch(), add(place, group * kSumBytes), b.getI32Type()));
      for (int64_t v = 0; v < plan.vectors; ++v) {
        Value &part = parts[v * tile.height * plan.bytes + i];
        part = dot.addBytes(part, own[v], x);
      }
    }
  }
  return parts;
}

} // namespace convoy::kernels
