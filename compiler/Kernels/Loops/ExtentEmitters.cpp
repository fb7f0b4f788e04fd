// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits ops whose results have sizes that depend on data. Each loop nest carries the position of
// the next element, so the elements lie in memory without gaps:
//
//     position = 0
//     for each candidate:  result[position] = candidate;  position += is selected
//     for i in [position, end):  result[i] = 0
//
// The store of one element needs no branch. It stays inside the result, because the position never
// exceeds the number of previous candidates.

#include "Graph/Extent.h"
#include "Kernels/Loops/Arithmetic.h"
#include "Kernels/Loops/DenseStores.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

void emitBoundedCompress(graph::BoundedCompressOp op, KernelEmitter &k) {
  Shape shape = k.shape(op.getInput());
  graph::CompressSpan span(shape, op.getAxis(), k.shape(op.getCondition())[0]);
  Value none = k.index(0);
  auto isKept = [&](Value slice) {
    return k.elementAt(op.getCondition(), k.lanes().uniform(slice));
  };
  auto count = k.loop(span.selectable, {none}, [&](Value slice, ValueRange now) {
    return SmallVector<Value>{advance(k, now[0], isKept(slice), 1)};
  });
  storeExtent(k, k.output(op, 1), count[0]);
  std::optional<Buffer> out = k.output(op, 0);
  if (!out) {
    return;
  }
  auto end =
      k.loops({span.outer, span.selectable}, {none}, [&](ArrayRef<Value> at, ValueRange now) {
        Lanes l = k.lanes();
        Index slice = l.add(l.mul(l.uniform(at[0]), span.slices), l.uniform(at[1]));
        Value condition = isKept(at[1]);
        copySlice(k, op.getInput(), l.mul(slice, span.inner), *out, now[0], span.inner, condition);
        return SmallVector<Value>{advance(k, now[0], condition, span.inner)};
      });
  clearRest(k, *out, end[0], span.outer * span.selectable * span.inner);
}

void emitBoundedNonZero(graph::BoundedNonZeroOp op, KernelEmitter &k) {
  Shape shape = k.shape(op.getInput());
  std::optional<Buffer> out = k.output(op, 0);
  auto isNonZero = [&](ArrayRef<Value> at) {
    Lanes l = k.lanes();
    SmallVector<Index> place;
    for (Value i : at) {
      place.push_back(l.uniform(i));
    }
    Arithmetic a{l, k.type(op.getInput())};
    Value isZero = a.equal(k.element(op.getInput(), place), a.number(0));
    return l.op<arith::XOrIOp>(isZero, l.intOf(l.b.getI1Type(), 1));
  };
  auto count = k.loops(shape, {k.index(0)}, [&](ArrayRef<Value> at, ValueRange now) {
    return SmallVector<Value>{advance(k, now[0], isNonZero(at), 1)};
  });
  storeExtent(k, k.output(op, 1), count[0]);
  if (!out) {
    return;
  }
  Value position = k.index(0);
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    auto end = k.loops(shape, {position}, [&](ArrayRef<Value> at, ValueRange now) {
      Lanes l = k.lanes();
      Value coordinate = l.toValue(l.uniform(at[dim]), l.b.getI64Type());
      store(l, *out, l.uniform(now[0]), coordinate);
      return SmallVector<Value>{advance(k, now[0], isNonZero(at), 1)};
    });
    position = end[0];
  }
  int64_t elements = elementCount(shape).value_or(0);
  clearRest(k, *out, position, elements * static_cast<int64_t>(shape.size()));
}

} // namespace

void addExtentEmitters(EmitterTable &table) {
  table.addWhole<graph::BoundedCompressOp, emitBoundedCompress>();
  table.addWhole<graph::BoundedNonZeroOp, emitBoundedNonZero>();
}

} // namespace convoy::kernels
