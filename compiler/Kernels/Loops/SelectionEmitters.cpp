// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits ops that select elements by index tensors. Indices come from data, so they are clamped: a
// wrong index gives a wrong element, but never an out-of-bounds read.

#include "Kernels/Loops/Arithmetic.h"
#include "Kernels/Loops/KernelEmitter.h"
#include "Kernels/Loops/Limits.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

/// Adds the size to negative indices.
Value fromEnd(Lanes &l, Value index, int64_t dim) {
  Type type = getElementTypeOrSelf(index.getType());
  Value isNegative = l.compare(arith::CmpIPredicate::slt, index, l.intOf(type, 0));
  return l.select(isNegative, l.op<arith::AddIOp>(index, l.intOf(type, dim)), index);
}

/// Reads an index from a tensor: negative indices count from the end; the result is clamped. The
/// arithmetic has 32 bits if the indices have, because a vector holds twice as many of them.
Index indexFrom(KernelEmitter &k, Value indices, ArrayRef<Index> at, int64_t dim, Value mask) {
  constexpr int64_t kMostOf32 = std::numeric_limits<int32_t>::max();
  Lanes l = k.lanes();
  Value raw = k.element(indices, at, mask);
  bool isShort = k.type(indices) == ElementType::I32 && dim <= kMostOf32;
  Type type = isShort ? l.b.getI32Type() : l.b.getI64Type();
  Value index = isShort ? fromEnd(l, raw, dim) : wrapped(l, raw, k.type(indices), dim);
  Value low = l.op<arith::MaxSIOp>(index, l.intOf(type, 0));
  return l.fromValue(l.op<arith::MinSIOp>(low, l.intOf(type, std::max<int64_t>(dim - 1, 0))));
}

Value emitGather(graph::GatherOp op, KernelEmitter &k, const ElementQuery &q) {
  Shape shape = k.shape(op.getInput());
  int64_t axis = op.getAxis();
  int64_t indexRank = k.shape(op.getIndices()).size();
  SmallVector<Index> at(q.at.begin(), q.at.begin() + axis);
  at.push_back(indexFrom(k, op.getIndices(), q.at.slice(axis, indexRank), shape[axis], q.mask));
  at.append(q.at.begin() + axis + indexRank, q.at.end());
  return k.element(op.getInput(), at, q.mask);
}

Value emitGatherElements(graph::GatherElementsOp op, KernelEmitter &k, const ElementQuery &q) {
  Shape shape = k.shape(op.getInput());
  SmallVector<Index> at(q.at.begin(), q.at.end());
  at[op.getAxis()] = indexFrom(k, op.getIndices(), q.at, shape[op.getAxis()], q.mask);
  return k.element(op.getInput(), at, q.mask);
}

Value emitGatherND(graph::GatherNDOp op, KernelEmitter &k, const ElementQuery &q) {
  Lanes l = k.lanes();
  Shape shape = k.shape(op.getInput());
  Shape indexShape = k.shape(op.getIndices());
  int64_t batch = op.getBatchDims();
  int64_t outer = static_cast<int64_t>(indexShape.size()) - 1;
  int64_t tuple = indexShape.back();
  SmallVector<Index> at(q.at.begin(), q.at.begin() + batch);
  for (int64_t i = 0; i < tuple; ++i) {
    SmallVector<Index> position(q.at.begin(), q.at.begin() + outer);
    position.push_back(l.constant(i));
    at.push_back(indexFrom(k, op.getIndices(), position, shape[batch + i], q.mask));
  }
  at.append(q.at.begin() + outer, q.at.end());
  return k.element(op.getInput(), at, q.mask);
}

Value emitOneHot(graph::OneHotOp op, KernelEmitter &k, const ElementQuery &q) {
  Lanes l = k.lanes();
  int64_t axis = op.getAxis();
  int64_t depth = k.shape(op.getResult())[axis];
  SmallVector<Index> at(q.at.begin(), q.at.begin() + axis);
  at.append(q.at.begin() + axis + 1, q.at.end());
  Value raw = k.element(op.getIndices(), at, q.mask);
  Value index = wrapped(l, raw, k.type(op.getIndices()), depth);
  Value own = l.toValue(q.at[axis], l.b.getI64Type());
  Value isOn = l.compare(arith::CmpIPredicate::eq, index, own);
  Value off = k.element(op.getValues(), {l.constant(0)});
  Value on = k.element(op.getValues(), {l.constant(1)});
  return l.select(isOn, on, off);
}

Value emitReverseSequence(graph::ReverseSequenceOp op, KernelEmitter &k, const ElementQuery &q) {
  Lanes l = k.lanes();
  Type i64 = l.b.getI64Type();
  Value length = convert(l, k.element(op.getSequenceLens(), {q.at[op.getBatchAxis()]}, q.mask),
                         k.type(op.getSequenceLens()), ElementType::I64);
  Value time = l.toValue(q.at[op.getTimeAxis()], i64);
  Value mirrored = l.op<arith::SubIOp>(l.op<arith::SubIOp>(length, l.intOf(i64, 1)), time);
  Value isInside = l.compare(arith::CmpIPredicate::slt, time, length);
  Value chosen = l.select(isInside, mirrored, time);
  int64_t dim = k.shape(op.getInput())[op.getTimeAxis()];
  Value low = l.op<arith::MaxSIOp>(chosen, l.intOf(i64, 0));
  SmallVector<Index> at(q.at.begin(), q.at.end());
  at[op.getTimeAxis()] = l.fromValue(l.op<arith::MinSIOp>(low, l.intOf(i64, dim - 1)));
  return k.element(op.getInput(), at, q.mask);
}

} // namespace

void addSelectionEmitters(EmitterTable &table) {
  table.addElement<graph::GatherOp, emitGather>();
  table.addElement<graph::GatherElementsOp, emitGatherElements>();
  table.addElement<graph::GatherNDOp, emitGatherND>();
  table.addElement<graph::OneHotOp, emitOneHot>();
  table.addElement<graph::ReverseSequenceOp, emitReverseSequence>();
}

} // namespace convoy::kernels
