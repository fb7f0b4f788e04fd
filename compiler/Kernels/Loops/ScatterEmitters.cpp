// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits ops that write to positions that their indices select. Updates run in order, one element at
// a time, so that repeated indices give the result of the reference. An index out of range writes
// nothing.

#include "Kernels/Loops/Arithmetic.h"
#include "Kernels/Loops/DenseStores.h"
#include "Kernels/Loops/Limits.h"

using namespace mlir;
using convoy::graph::ScatterKind;

namespace convoy::kernels {
namespace {

/// Copies the input to the result.
void copyInput(KernelEmitter &k, Value input, const Buffer &out) {
  Shape shape = k.shape(input);
  k.wholeNest(shape, k.type(input), /*block=*/0, [&](ArrayRef<Index> at) {
    Lanes l = k.lanes();
    store(l, out, l.linearize(at, shape), k.element(input, at));
  });
}

/// Reads a scalar index from a tensor; negative indices count from the end.
Value scalarIndex(KernelEmitter &k, Value indices, ArrayRef<Index> at, int64_t dim) {
  Lanes l = k.lanes();
  return l.fromValue(wrapped(l, k.element(indices, at), k.type(indices), dim)).base;
}

Value combine(Arithmetic &a, ScatterKind kind, Value old, Value update) {
  switch (kind) {
  case ScatterKind::Add:
    return a.isFloatType() || a.type != ElementType::Bool ? a.add(old, update) : a.max(old, update);
  case ScatterKind::Mul:
    return a.mul(old, update);
  case ScatterKind::Min:
    return a.min(old, update);
  case ScatterKind::Max:
    return a.max(old, update);
  case ScatterKind::None:
    return update;
  }
  return update;
}

/// Emits: if (isInside) out[at] = combine(out[at], update).
void updateElement(KernelEmitter &k, const Buffer &out, const Index &at, Value isInside,
                   ScatterKind kind, Value update) {
  emitIf(k, isInside, [&] {
    Arithmetic a{k.lanes(), out.type};
    Value old = kind == ScatterKind::None ? Value() : load(a.lanes, out, at);
    store(a.lanes, out, at, roundTo(a.lanes, out.type, combine(a, kind, old, update)));
  });
}

void emitScatterElements(graph::ScatterElementsOp op, KernelEmitter &k) {
  Buffer out = *k.output(op, 0);
  copyInput(k, op.getInput(), out);
  Shape shape = k.shape(op.getInput());
  k.serialNest(k.shape(op.getIndices()), [&](ArrayRef<Index> at) {
    Lanes l = k.lanes();
    SmallVector<Index> target(at.begin(), at.end());
    int64_t dim = shape[op.getAxis()];
    Index index = l.uniform(scalarIndex(k, op.getIndices(), at, dim));
    target[op.getAxis()] = index;
    updateElement(k, out, l.linearize(target, shape), l.inBounds(index, dim), op.getKind(),
                  k.element(op.getUpdates(), at));
  });
}

void emitScatterND(graph::ScatterNDOp op, KernelEmitter &k) {
  Buffer out = *k.output(op, 0);
  copyInput(k, op.getInput(), out);
  Shape shape = k.shape(op.getInput());
  Shape indexShape = k.shape(op.getIndices());
  size_t outer = indexShape.size() - 1;
  k.serialNest(k.shape(op.getUpdates()), [&](ArrayRef<Index> at) {
    Lanes l = k.lanes();
    SmallVector<Index> target;
    Value isInside = l.b.create<arith::ConstantOp>(l.b.getBoolAttr(true));
    for (int64_t i = 0; i < indexShape.back(); ++i) {
      SmallVector<Index> position(at.begin(), at.begin() + outer);
      position.push_back(l.constant(i));
      Index index = l.uniform(scalarIndex(k, op.getIndices(), position, shape[i]));
      isInside = l.both(isInside, l.inBounds(index, shape[i]));
      target.push_back(index);
    }
    target.append(at.begin() + outer, at.end());
    updateElement(k, out, l.linearize(target, shape), isInside, op.getKind(),
                  k.element(op.getUpdates(), at));
  });
}

/// Returns the shape to which unpooling indices refer.
Shape unpooledShape(graph::MaxUnpoolOp op, ArrayRef<int64_t> input) {
  Shape shape(input.begin(), input.end());
  size_t rank = op.getKernel().size();
  for (size_t i = 0; i < rank; ++i) {
    shape[i + 2] = (input[i + 2] - 1) * op.getStrides()[i] + op.getKernel()[i] - op.getPads()[i] -
                   op.getPads()[i + rank];
  }
  return shape;
}

void emitMaxUnpool(graph::MaxUnpoolOp op, KernelEmitter &k) {
  Buffer out = *k.output(op, 0);
  Shape shape = k.shape(op.getResult());
  k.wholeNest(shape, out.type, /*block=*/0, [&](ArrayRef<Index> at) {
    Arithmetic a{k.lanes(), out.type};
    store(a.lanes, out, a.lanes.linearize(at, shape), a.number(0));
  });
  Shape counted = unpooledShape(op, k.shape(op.getInput()));
  int64_t limit = elementCount(counted).value_or(0);
  k.serialNest(k.shape(op.getInput()), [&](ArrayRef<Index> at) {
    Lanes l = k.lanes();
    Value raw =
        convert(l, k.element(op.getIndices(), at), k.type(op.getIndices()), ElementType::I64);
    Index flat = l.fromValue(raw);
    SmallVector<Index> target = l.delinearize(flat, counted);
    updateElement(k, out, l.linearize(target, shape), l.inBounds(flat, limit), ScatterKind::None,
                  k.element(op.getInput(), at));
  });
}

std::string unpoolLimit(Operation *op) {
  return firstNotConstant({{cast<graph::MaxUnpoolOp>(op).getOutputShape(), "output_shape"}});
}

/// Sums, for each image element, the column elements that map to it.
Value emitCol2Im(graph::Col2ImOp op, KernelEmitter &k, const ElementQuery &q) {
  Shape image = k.ints(op.getImageShape());
  Shape block = k.ints(op.getBlockShape());
  Shape columns;
  for (size_t i = 0; i < block.size(); ++i) {
    int64_t span = (block[i] - 1) * op.getDilations()[i] + 1;
    int64_t padded = image[i] + op.getPads()[i] + op.getPads()[i + block.size()];
    columns.push_back((padded - span) / op.getStrides()[i] + 1);
  }
  ElementType type = k.type(op.getInput());
  Arithmetic a{k.lanes(), type};
  int64_t blockSize = elementCount(block).value_or(0);
  auto tap = [&](ArrayRef<Value> ivs, ValueRange carried) {
    Lanes l = k.lanes();
    Arithmetic inner{l, type};
    SmallVector<Index> inBlock;
    SmallVector<Index> column;
    Value mask = q.mask;
    for (size_t i = 0; i < block.size(); ++i) {
      inBlock.push_back(l.uniform(ivs[i]));
      int64_t stride = op.getStrides()[i];
      Index position =
          l.sub(l.add(q.at[i + 2], op.getPads()[i]), l.mul(inBlock.back(), op.getDilations()[i]));
      int64_t shift = block[i] * op.getDilations()[i] / stride + 1;
      Index lifted = l.add(position, shift * stride);
      column.push_back(l.add(l.div(lifted, stride), -shift));
      mask = l.both(mask, l.inBounds(column.back(), columns[i]));
      mask = stride == 1 ? mask : l.both(mask, l.isEqual(l.rem(lifted, stride), 0));
    }
    Index channel = l.add(l.mul(q.at[1], blockSize), l.linearize(inBlock, block));
    Value x = k.element(op.getInput(), {q.at[0], channel, l.linearize(column, columns)}, mask);
    return SmallVector<Value>{inner.add(carried[0], l.select(mask, x, inner.number(0)))};
  };
  return roundTo(a.lanes, type, k.loops(block, {a.number(0)}, tap)[0]);
}

std::string col2ImLimit(Operation *op) {
  auto col2im = cast<graph::Col2ImOp>(op);
  return firstNotConstant(
      {{col2im.getImageShape(), "image_shape"}, {col2im.getBlockShape(), "block_shape"}});
}

} // namespace

void addScatterEmitters(EmitterTable &table) {
  table.addWhole<graph::ScatterElementsOp, emitScatterElements>();
  table.addWhole<graph::ScatterNDOp, emitScatterND>();
  table.addWhole<graph::MaxUnpoolOp, emitMaxUnpool>(unpoolLimit);
  table.addElement<graph::Col2ImOp, emitCol2Im>(col2ImLimit);
}

} // namespace convoy::kernels
