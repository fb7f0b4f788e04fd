// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits ops that order slices and group equal slices. The result of sort_slices has two halves; a
// merge sort from below uses them in turn and ends in the first half:
//
//     half 1:  3 1 2 0     sorted runs of 1
//     half 0:  1 3 0 2     sorted runs of 2
//     half 1:  0 1 2 3     sorted runs of 4
//
// Floats in descending order that are minus infinity come last without a comparison.

#include "Graph/Extent.h"
#include "Kernels/Core/IndexMath.h"
#include "Kernels/Loops/Arithmetic.h"
#include "Kernels/Loops/DenseStores.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;

namespace convoy::kernels {
namespace {

/// Index arithmetic on scalars.
struct Scalars : IndexMath {
  KernelEmitter &k;

  explicit Scalars(KernelEmitter &emitter) : IndexMath(emitter.b), k(emitter) {}

  Value min(Value x, Value y) { return b.createOrFold<arith::MinSIOp>(x, y); }
  Value less(Value x, Value y) {
    return k.b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ult, x, y);
  }
  Value equal(Value x, Value y) {
    return k.b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, x, y);
  }
  Value both(Value x, Value y) { return k.b.createOrFold<arith::AndIOp>(x, y); }
  Value negate(Value x) {
    return k.b.createOrFold<arith::XOrIOp>(x, k.lanes().intOf(k.b.getI1Type(), 1));
  }
  /// Returns an i64 in memory as an index.
  Value load(const Buffer &buffer, Value at) {
    Lanes l = k.lanes();
    return l.fromValue(kernels::load(l, buffer, l.uniform(at))).base;
  }
  void store(const Buffer &buffer, Value at, Value index) {
    Lanes l = k.lanes();
    kernels::store(l, buffer, l.uniform(at), l.toValue(l.uniform(index), k.b.getI64Type()));
  }
};

/// Compares slices of `length` elements. A slice is given by the offset of its first element.
struct SliceOrder {
  KernelEmitter &k;
  Value input;
  int64_t length;
  bool isDescending;

  /// Returns whether slice x comes before slice y.
  Value comesBefore(Value x, Value y) { return compare(x, y)[0]; }
  Value areEqual(Value x, Value y) { return Scalars(k).negate(compare(x, y)[1]); }

private:
  /// Returns whether x comes before y, and whether the slices differ.
  SmallVector<Value> compare(Value x, Value y) {
    Value no = k.lanes().intOf(k.b.getI1Type(), 0);
    return k.loop(length, {no, no}, [&](Value i, ValueRange now) {
      Lanes l = k.lanes();
      Arithmetic a{l, k.type(input)};
      Value p = k.elementAt(input, l.add(l.uniform(x), l.uniform(i)));
      Value q = k.elementAt(input, l.add(l.uniform(y), l.uniform(i)));
      Value isBefore = isDescending ? a.outranks(p, q) : a.outranks(q, p);
      Value isAfter = isDescending ? a.outranks(q, p) : a.outranks(p, q);
      Value isDifferent = l.op<arith::OrIOp>(isBefore, isAfter);
      return SmallVector<Value>{l.select(now[1], now[0], isBefore),
                                l.op<arith::OrIOp>(now[1], isDifferent)};
    });
  }
};

/// Sorts the slices of one row.
struct RowSort {
  KernelEmitter &k;
  SliceOrder order;
  Buffer out;
  Value row; // index
  int64_t rows, count;
  Value sorted; // index; the number of slices to sort, the first ones of a half

  void emit() {
    Scalars s(k);
    int64_t passes = llvm::Log2_64_Ceil(count);
    Value first = k.index(passes % 2);
    sorted = k.index(count);
    if (hasLeast()) {
      separate(first);
    } else {
      k.loop(count, [&](Value slice) { s.store(out, place(first, slice), slice); });
    }
    k.loop(passes, {k.index(1), first}, [&](Value, ValueRange now) {
      Value to = s.sub(k.index(1), now[1]);
      mergeRuns(now[0], now[1], to);
      return SmallVector<Value>{s.mul(now[0], 2), to};
    });
    k.loop(count, [&](Value at) {
      s.store(out, place(k.index(1), s.load(out, place(k.index(0), at))), at);
    });
  }

private:
  Value place(Value half, Value at) {
    Scalars s(k);
    return s.add(s.mul(s.add(s.mul(half, rows), row), count), at);
  }

  /// Returns whether a slice can have a least value, which all other values precede.
  bool hasLeast() const {
    return order.isDescending && order.length == 1 && isFloat(k.type(order.input));
  }

  Value isLeast(Value slice) {
    Lanes l = k.lanes();
    Arithmetic a{l, k.type(order.input)};
    return a.equal(k.elementAt(order.input, l.uniform(offset(slice))), a.number(-HUGE_VAL));
  }

  /// Moves the slices with the least value to their final places in the first half, and the other
  /// slices to the half in which the merge sort begins.
  void separate(Value first) {
    Scalars s(k);
    sorted = k.loop(count, {k.index(0)}, [&](Value slice, ValueRange now) {
      return SmallVector<Value>{advance(k, now[0], s.negate(isLeast(slice)), 1)};
    })[0];
    k.loop(count, {k.index(0)}, [&](Value slice, ValueRange now) {
      Value isLast = isLeast(slice);
      Lanes l = k.lanes();
      Value last = s.add(sorted, s.sub(slice, now[0]));
      s.store(out, l.select(isLast, place(k.index(0), last), place(first, now[0])), slice);
      return SmallVector<Value>{advance(k, now[0], s.negate(isLast), 1)};
    });
  }

  void mergeRuns(Value width, Value from, Value to) {
    Scalars s(k);
    Value end = sorted;
    Value step = s.mul(width, 2);
    Value rounded = s.add(end, s.sub(step, k.index(1)));
    Value runs = k.b.createOrFold<arith::DivUIOp>(rounded, step);
    k.loop(k.index(0), runs, [&](Value run) {
      Value begin = k.b.createOrFold<arith::MulIOp>(run, step);
      Value middle = s.min(s.add(begin, width), end);
      Value last = s.min(s.add(begin, step), end);
      k.loop(begin, last, {begin, middle}, [&](Value at, ValueRange now) {
        return merge(at, now[0], middle, now[1], last, from, to);
      });
    });
  }

  /// Stores the next slice of two runs; returns the positions in both runs.
  SmallVector<Value> merge(Value at, Value left, Value middle, Value right, Value last, Value from,
                           Value to) {
    Scalars s(k);
    Value end = k.b.createOrFold<arith::SubIOp>(sorted, k.index(1));
    Value a = s.load(out, place(from, s.min(left, end)));
    Value b = s.load(out, place(from, s.min(right, end)));
    // Equal slices keep their order.
    Value isRightFirst = s.both(s.less(right, last), order.comesBefore(offset(b), offset(a)));
    Value takesLeft = s.both(s.less(left, middle), s.negate(isRightFirst));
    s.store(out, place(to, at), k.lanes().select(takesLeft, a, b));
    return {advance(k, left, takesLeft, 1), advance(k, right, s.negate(takesLeft), 1)};
  }

  /// Returns the offset of the first element of a slice.
  Value offset(Value slice) {
    Scalars s(k);
    return s.mul(s.add(s.mul(row, count), slice), order.length);
  }
};

void emitSortSlices(graph::SortSlicesOp op, KernelEmitter &k) {
  Shape shape = k.shape(op.getInput());
  SliceOrder order{k, op.getInput(), shape[2], op.getDescending()};
  Buffer out = *k.output(op, 0);
  if (shape[1] == 0) {
    return;
  }
  k.loop(shape[0],
         [&](Value row) { RowSort{k, order, out, row, shape[0], shape[1], Value()}.emit(); });
}

/// Numbers the groups in the order of their first slices.
void renumber(KernelEmitter &k, const Buffer &out, int64_t count) {
  Scalars s(k);
  k.loop(count, {k.index(0)}, [&](Value slice, ValueRange now) {
    Value first = s.load(out, slice);
    Value isFirst = s.equal(first, slice);
    Value known = s.load(out, s.add(k.index(count), first));
    Value number = k.lanes().select(isFirst, now[0], known);
    s.store(out, s.add(k.index(count), slice), number);
    return SmallVector<Value>{advance(k, now[0], isFirst, 1)};
  });
}

void emitGroupSlices(graph::GroupSlicesOp op, KernelEmitter &k) {
  Shape shape = k.shape(op.getInput());
  int64_t count = shape[0];
  SliceOrder order{k, op.getInput(), shape[1], /*isDescending=*/false};
  Buffer out = *k.output(op, 0);
  Scalars s(k);
  auto sliceAt = [&](Value place) {
    Lanes l = k.lanes();
    return l.fromValue(k.elementAt(op.getOrder(), l.uniform(place))).base;
  };
  // The carried values are the first slice and the number of the current group.
  Value zero = k.index(0);
  k.loop(count, {zero, zero}, [&](Value place, ValueRange now) {
    Value slice = sliceAt(place);
    Value isLater = s.less(zero, place);
    Value before = sliceAt(k.lanes().select(isLater, s.sub(place, k.index(1)), zero));
    Value isEqual = order.areEqual(s.mul(slice, shape[1]), s.mul(before, shape[1]));
    Value isNew = s.both(isLater, s.negate(isEqual));
    Value starts = k.lanes().op<arith::OrIOp>(isNew, s.negate(isLater));
    Value first = k.lanes().select(starts, slice, now[0]);
    Value number = advance(k, now[1], isNew, 1);
    s.store(out, slice, first);
    s.store(out, s.add(k.index(count), slice), number);
    return SmallVector<Value>{first, number};
  });
  if (!op.getSorted()) {
    renumber(k, out, count);
  }
}

/// Fills the optional results of unique for one slice.
struct UniqueSlice {
  KernelEmitter &k;
  graph::BoundedUniqueOp op;
  graph::CompressSpan span;
  Value slice, group, found; // index

  void emit(Value isFirst) {
    Scalars s(k);
    if (std::optional<Buffer> counts = k.output(op, 2)) {
      s.store(*counts, group, s.add(s.load(*counts, group), k.index(1)));
    }
    emitIf(k, isFirst, [&] {
      if (std::optional<Buffer> indices = k.output(op, 1)) {
        s.store(*indices, group, slice);
      }
      if (std::optional<Buffer> result = k.output(op, 0)) {
        copy(*result);
      }
    });
  }

private:
  void copy(const Buffer &result) {
    Scalars s(k);
    Value yes = k.lanes().intOf(k.b.getI1Type(), 1);
    k.loop(span.outer, [&](Value outer) {
      Value from = s.mul(s.add(s.mul(outer, span.slices), slice), span.inner);
      Value row = k.b.createOrFold<arith::MulIOp>(outer, found);
      Value to = s.mul(s.add(row, group), span.inner);
      copySlice(k, op.getInput(), k.lanes().uniform(from), result, to, span.inner, yes);
    });
  }
};

void emitBoundedUnique(graph::BoundedUniqueOp op, KernelEmitter &k) {
  Shape shape = k.shape(op.getInput());
  int64_t slices = k.shape(op.getGroups())[1];
  graph::CompressSpan span(shape, op.getAxis(), slices);
  Scalars s(k);
  for (unsigned i = 0; i < 3; ++i) {
    if (std::optional<Buffer> out = k.output(op, i)) {
      clearRest(k, *out, k.index(0), elementCount(k.shape(op->getResult(i))).value_or(0));
    }
  }
  auto groupsAt = [&](Value at) {
    Lanes l = k.lanes();
    return l.fromValue(k.elementAt(op.getGroups(), l.uniform(at))).base;
  };
  auto found = k.loop(slices, {k.index(0)}, [&](Value slice, ValueRange now) {
    return SmallVector<Value>{advance(k, now[0], s.equal(groupsAt(slice), slice), 1)};
  });
  storeExtent(k, k.output(op, 3), found[0]);
  k.loop(slices, [&](Value slice) {
    Value group = groupsAt(s.add(k.index(slices), slice));
    UniqueSlice{k, op, span, slice, group, found[0]}.emit(s.equal(groupsAt(slice), slice));
  });
}

} // namespace

void addGroupEmitters(EmitterTable &table) {
  table.addWhole<graph::SortSlicesOp, emitSortSlices>();
  table.addWhole<graph::GroupSlicesOp, emitGroupSlices>();
  table.addWhole<graph::BoundedUniqueOp, emitBoundedUnique>();
}

} // namespace convoy::kernels
