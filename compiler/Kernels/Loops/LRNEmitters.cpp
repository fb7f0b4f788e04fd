// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits local response normalization over neighboring channels. If lanes are pixels, neighboring
// channels are separate vectors. If lanes are the channels of a block, neighboring channels are
// shifts of the block's squares, completed with the squares of the adjacent blocks:
//
//     before      own         after            sum of 3 =  shift right   3 4 5 6
//     [0 1 2 3]   [4 5 6 7]   [8 9 10 11]                + own           4 5 6 7
//                                                        + shift left    5 6 7 8

#include "Kernels/Loops/Arithmetic.h"
#include "Kernels/Loops/KernelEmitter.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

/// Sums the squares if lanes do not run along channels.
Value sumOfVectors(graph::LRNOp op, KernelEmitter &k, const ElementQuery &q) {
  ElementType type = k.type(op.getInput());
  int64_t size = op.getSize();
  int64_t channels = k.shape(op.getInput())[1];
  Arithmetic a{k.lanes(), type};
  return k.loop(size, {a.number(0)}, [&](Value i, ValueRange carried) {
    Lanes l = k.lanes();
    Arithmetic inner{l, type};
    SmallVector<Index> at(q.at.begin(), q.at.end());
    at[1] = l.add(l.add(at[1], l.uniform(i)), -((size - 1) / 2));
    Value inside = l.inBounds(at[1], channels);
    Value x = k.element(op.getInput(), at, l.both(q.mask, inside));
    x = l.select(inside, x, inner.number(0));
    return SmallVector<Value>{inner.multiplyAdd(x, x, carried[0])};
  })[0];
}

/// Returns the squares of the block `distance` channels further on; zero past the ends.
Value squaresOfBlock(graph::LRNOp op, KernelEmitter &k, const ElementQuery &q, int64_t distance) {
  Arithmetic a{k.lanes(), k.type(op.getInput())};
  SmallVector<Index> at(q.at.begin(), q.at.end());
  at[1] = distance == 0 ? at[1] : k.laterBlock(at[1], distance, k.width);
  Value inside = a.lanes.inBounds(at[1], k.shape(op.getInput())[1]);
  Value x = k.element(op.getInput(), at, a.lanes.both(q.mask, inside));
  x = a.lanes.select(inside, x, a.number(0));
  return a.mul(x, x);
}

/// Sums the squares if lanes are the channels of a block. The window ends in the adjacent blocks.
Value sumOfShifts(graph::LRNOp op, KernelEmitter &k, const ElementQuery &q) {
  Lanes l = k.lanes();
  Arithmetic a{l, k.type(op.getInput())};
  int64_t block = k.width;
  Value before = squaresOfBlock(op, k, q, -block);
  Value own = squaresOfBlock(op, k, q, 0);
  Value after = squaresOfBlock(op, k, q, block);
  int64_t first = -((static_cast<int64_t>(op.getSize()) - 1) / 2);
  Value sum = a.number(0);
  for (int64_t shift = first; shift < first + static_cast<int64_t>(op.getSize()); ++shift) {
    SmallVector<int64_t> lanes;
    for (int64_t lane = 0; lane < block; ++lane) {
      lanes.push_back(lane + shift + (shift < 0 ? block : 0));
    }
    Value shifted = shift == 0  ? own
                    : shift < 0 ? l.b.create<vector::ShuffleOp>(before, own, lanes).getResult()
                                : l.b.create<vector::ShuffleOp>(own, after, lanes).getResult();
    sum = a.add(sum, shifted);
  }
  return sum;
}

/// Returns 1 / sqrt(x) for normal x: an estimate from the exponent bits with an error of 3.5 %, and
/// three Newton steps, each of which squares the error.
Value inverseRoot(Arithmetic a, Value x) {
  Lanes &l = a.lanes;
  Type i32 = l.b.getI32Type();
  Value bits = l.b.create<arith::BitcastOp>(l.typeLike(x, i32), x);
  Value half = l.op<arith::ShRUIOp>(bits, l.intOf(i32, 1));
  Value guess = l.op<arith::SubIOp>(l.intOf(i32, 0x5f3759df), half);
  Value y = l.b.create<arith::BitcastOp>(x.getType(), guess);
  Value minusHalf = a.mul(x, a.number(-0.5));
  for (int step = 0; step < 3; ++step) {
    y = a.mul(y, a.multiplyAdd(a.mul(minusHalf, y), y, a.number(1.5)));
  }
  return y;
}

/// Returns x / base^(3/4), the usual exponent in networks, without a logarithm, a root or a
/// division: with r = base^(-1/2), the result is x * r * r / sqrt(r). `base` is a normal number
/// that is at least the bias, or infinite, or NaN.
Value divideByThreeQuarters(Arithmetic a, Value x, Value base) {
  Value root = inverseRoot(a, base);
  Value power = a.mul(a.mul(root, root), inverseRoot(a, root));
  // The Newton steps turn infinity into NaN.
  Value isInfinite = a.equal(base, a.highest());
  return a.mul(x, a.lanes.select(isInfinite, a.number(0), power));
}

Value emitLRN(graph::LRNOp op, KernelEmitter &k, const ElementQuery &q) {
  ElementType type = k.type(op.getInput());
  Arithmetic a{k.lanes(), type};
  bool isAlongLanes = graph::channelBlock(op.getInput().getType()) != 0 && q.at[1].step == 1;
  Value sum = isAlongLanes ? sumOfShifts(op, k, q) : sumOfVectors(op, k, q);
  double alpha = op.getAlpha().convertToDouble() / static_cast<double>(op.getSize());
  double bias = op.getBias().convertToDouble();
  double beta = op.getBeta().convertToDouble();
  Value base = a.add(a.number(bias), a.mul(a.number(alpha), sum));
  Value x = k.element(op.getInput(), q.at, q.mask);
  if (type == ElementType::F32 && beta == 0.75 && alpha >= 0 && bias >= 0x1p-60) {
    return divideByThreeQuarters(a, x, base);
  }
  return roundTo(a.lanes, type, a.div(x, a.power(base, a.number(beta), type)));
}

} // namespace

void addLRNEmitters(EmitterTable &table) { table.addElement<graph::LRNOp, emitLRN>(); }

} // namespace convoy::kernels
