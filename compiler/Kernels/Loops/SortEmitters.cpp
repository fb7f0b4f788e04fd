// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits ops along one axis whose results depend on previous results: top-k selection and cumulative
// sums and products.

#include "Kernels/Loops/Arithmetic.h"
#include "Kernels/Loops/KernelEmitter.h"
#include "Kernels/Loops/Limits.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

/// Returns the coordinates of a row with one axis replaced.
SmallVector<Index> along(ArrayRef<Index> row, int64_t axis, Value position) {
  SmallVector<Index> at(row.begin(), row.end());
  at[axis] = Index{position, 0, {}};
  return at;
}

/// Returns whether (x, i) comes before (y, j): better value, or equal value and lower index. NaN is
/// larger than every number and equal to itself.
Value comesBefore(Lanes &l, ElementType type, bool largest, Value x, Value i, Value y, Value j) {
  Arithmetic a{l, type};
  Value isBetter = largest ? a.outranks(x, y) : a.outranks(y, x);
  Value isWorse = largest ? a.outranks(y, x) : a.outranks(x, y);
  Value isLower = l.compare(arith::CmpIPredicate::slt, i, j);
  return l.select(isWorse, l.intOf(l.b.getI1Type(), 0), l.op<arith::OrIOp>(isBetter, isLower));
}

/// Selects the k best elements one after another: each is the best of the elements after the
/// previous one. This takes k passes over the row and no scratch memory.
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
    // There is no element yet: index -1 comes before everything.
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
        return SmallVector<Value>{in.select(takes, x, now[0]), in.select(takes, position, now[1])};
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

/// The elements of a tensor as outer x along x inner. The dimension `along` may be known only at
/// run time.
struct AxisSpan {
  Value outer, along, inner; // index

  AxisSpan(KernelEmitter &k, Value axis, ArrayRef<int64_t> shape) {
    Lanes l = k.lanes();
    Type i64 = l.b.getI64Type();
    int64_t rank = shape.size();
    bool isConstant = !k.isInMemory(axis);
    int64_t fixed = isConstant ? k.ints(axis)[0] : 0;
    fixed += fixed < 0 ? rank : 0;
    set(k, shape, fixed);
    if (isConstant) {
      return;
    }
    Value given = wrapped(l, k.elementAt(axis, l.constant(0)), k.type(axis), rank);
    // An axis out of range counts as 0.
    for (int64_t i = 1; i < rank; ++i) {
      AxisSpan before = *this;
      set(k, shape, i);
      Value isThis = l.compare(arith::CmpIPredicate::eq, given, l.intOf(i64, i));
      outer = l.select(isThis, outer, before.outer);
      along = l.select(isThis, along, before.along);
      inner = l.select(isThis, inner, before.inner);
    }
  }

private:
  void set(KernelEmitter &k, ArrayRef<int64_t> shape, int64_t axis) {
    outer = k.index(elementCount(shape.take_front(axis)).value_or(0));
    along = k.index(shape.empty() ? 1 : shape[axis]);
    inner = k.index(shape.empty() ? 1 : elementCount(shape.drop_front(axis + 1)).value_or(0));
  }
};

void emitCumulative(graph::CumulativeOp op, KernelEmitter &k) {
  ElementType type = k.type(op.getInput());
  Buffer out = *k.output(op, 0);
  bool isSum = op.getKind() == graph::CumulativeKind::Sum;
  AxisSpan span(k, op.getAxis(), k.shape(op.getInput()));
  Value zero = k.index(0);
  ImplicitLocOpBuilder &b = k.b;
  auto multiplyAdd = [&](Value x, Value y, Value z) {
    return b.createOrFold<arith::AddIOp>(b.createOrFold<arith::MulIOp>(x, y), z);
  };
  auto line = [&](Value row, Value column) {
    Arithmetic a{k.lanes(), type};
    k.loop(zero, span.along, {a.number(isSum ? 0 : 1)}, [&](Value step, ValueRange carried) {
      Arithmetic inner{k.lanes(), type};
      Value position = step;
      if (op.getReverse()) {
        position = b.createOrFold<arith::SubIOp>(span.along, k.index(1));
        position = b.createOrFold<arith::SubIOp>(position, step);
      }
      Index at = inner.lanes.uniform(
          multiplyAdd(multiplyAdd(row, span.along, position), span.inner, column));
      Value x = k.elementAt(op.getInput(), at);
      Value next = isSum ? inner.add(carried[0], x) : inner.mul(carried[0], x);
      Value result = op.getExclusive() ? carried[0] : next;
      store(inner.lanes, out, at, roundTo(inner.lanes, type, result));
      return SmallVector<Value>{next};
    });
  };
  k.loop(zero, span.outer,
         [&](Value row) { k.loop(zero, span.inner, [&](Value column) { line(row, column); }); });
}

} // namespace

void addSortEmitters(EmitterTable &table) {
  table.addWhole<graph::TopKOp, emitTopK>(topKLimit);
  table.addWhole<graph::CumulativeOp, emitCumulative>();
}

} // namespace convoy::kernels
