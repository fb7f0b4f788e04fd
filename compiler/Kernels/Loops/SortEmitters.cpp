// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops along one axis in which each result depends on the ones before it.

#include "Kernels/Loops/Arithmetic.h"
#include "Kernels/Loops/KernelEmitter.h"
#include "Kernels/Loops/Limits.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

/// Coordinates of a row with one axis replaced.
SmallVector<Index> along(ArrayRef<Index> row, int64_t axis, Value position) {
  SmallVector<Index> at(row.begin(), row.end());
  at[axis] = Index{position, 0, {}};
  return at;
}

/// Whether (x, i) comes before (y, j): better value, or equal value and lower
/// index.
Value comesBefore(Lanes &l, ElementType type, bool largest, Value x, Value i, Value y, Value j) {
  Arithmetic a{l, type};
  Value isBetter = largest ? a.less(y, x) : a.less(x, y);
  Value isLower = l.compare(arith::CmpIPredicate::slt, i, j);
  Value isTie = l.both(a.equal(x, y), isLower);
  return l.op<arith::OrIOp>(isBetter, isTie);
}

/// Selects the k best one after the other: each is the best of those that come
/// after the one before. k passes over the row, no scratch memory.
void emitTopK(graph::TopKOp op, KernelEmitter &k) {
  Shape shape = k.shape(op.getInput());
  int64_t axis = op.getAxis();
  int64_t count = k.ints(op.getK())[0];
  ElementType type = k.type(op.getInput());
  std::optional<Buffer> values = k.output(op, 0);
  std::optional<Buffer> indices = k.output(op, 1);
  Shape rows = shape;
  rows[axis] = 1;
  Shape outShape = shape;
  outShape[axis] = count;
  k.serialNest(rows, [&](ArrayRef<Index> row) {
    Lanes l = k.lanes();
    Type i64 = l.b.getI64Type();
    Arithmetic a{l, type};
    // No element yet: index -1 stands before everything.
    Value none = l.intOf(i64, -1);
    k.loop(count, {a.number(0), none}, [&](Value rank, ValueRange last) {
      auto best = k.loop(shape[axis], {a.number(0), none}, [&](Value i, ValueRange now) {
        Lanes in = k.lanes();
        Value x = k.element(op.getInput(), along(row, axis, i));
        Value position = in.toValue(in.uniform(i), i64);
        Value isFirst = in.compare(arith::CmpIPredicate::slt, last[1], in.intOf(i64, 0));
        Value isLeft = in.op<arith::OrIOp>(
            isFirst, comesBefore(in, type, op.getLargest(), last[0], last[1], x, position));
        Value isEmpty = in.compare(arith::CmpIPredicate::slt, now[1], in.intOf(i64, 0));
        Value isBetter = in.op<arith::OrIOp>(
            isEmpty, comesBefore(in, type, op.getLargest(), x, position, now[0], now[1]));
        Value takes = in.both(isLeft, isBetter);
        return SmallVector<Value>{in.select(takes, x, now[0]),
                                  in.select(takes, position, now[1])};
      });
      Lanes in = k.lanes();
      Index target = in.linearize(along(row, axis, rank), outShape);
      if (values) {
        store(in, *values, target, best[0]);
      }
      if (indices) {
        store(in, *indices, target, best[1]);
      }
      return best;
    });
  });
}

std::string topKLimit(Operation *op) {
  return firstNotConstant({{cast<graph::TopKOp>(op).getK(), "k"}});
}

void emitCumulative(graph::CumulativeOp op, KernelEmitter &k) {
  Shape shape = k.shape(op.getInput());
  int64_t axis = k.ints(op.getAxis())[0];
  axis += axis < 0 ? shape.size() : 0;
  ElementType type = k.type(op.getInput());
  Buffer out = *k.output(op, 0);
  bool isSum = op.getKind() == graph::CumulativeKind::Sum;
  Shape rows = shape;
  rows[axis] = 1;
  k.serialNest(rows, [&](ArrayRef<Index> row) {
    Lanes l = k.lanes();
    Arithmetic a{l, type};
    k.loop(shape[axis], {a.number(isSum ? 0 : 1)}, [&](Value step, ValueRange carried) {
      Lanes in = k.lanes();
      Arithmetic inner{in, type};
      Value position = op.getReverse()
                           ? in.b.createOrFold<arith::SubIOp>(k.index(shape[axis] - 1), step)
                           : step;
      SmallVector<Index> at = along(row, axis, position);
      Value x = k.element(op.getInput(), at);
      Value next = isSum ? inner.add(carried[0], x) : inner.mul(carried[0], x);
      Value result = op.getExclusive() ? carried[0] : next;
      store(in, out, in.linearize(at, shape), roundTo(in, type, result));
      return SmallVector<Value>{next};
    });
  });
}

std::string cumulativeLimit(Operation *op) {
  return firstNotConstant({{cast<graph::CumulativeOp>(op).getAxis(), "axis"}});
}

} // namespace

void addSortEmitters(EmitterTable &table) {
  table.addWhole<graph::TopKOp, emitTopK>(topKLimit);
  table.addWhole<graph::CumulativeOp, emitCumulative>(cumulativeLimit);
}

} // namespace convoy::kernels
