// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits matrix products and Einstein sums: one loop over the summed dimension, in the order of the
// operands' memory, with one accumulator per lane.

#include "Kernels/Loops/Arithmetic.h"
#include "Kernels/Loops/KernelEmitter.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

/// Converts a loaded element before the multiplication.
using Prepare = llvm::function_ref<Value(Lanes &, Value)>;

/// Returns the sum for one element of a product, in `type`.
template <typename OpT>
Value emitProductSum(OpT op, KernelEmitter &k, const ElementQuery &q, ElementType type,
                     Prepare prepareLeft, Prepare prepareRight) {
  Shape lhs = k.shape(op.getLhs());
  Shape rhs = k.shape(op.getRhs());
  bool isRow = lhs.size() == 1;
  bool isColumn = rhs.size() == 1;
  size_t batch = q.at.size() - (isRow ? 0 : 1) - (isColumn ? 0 : 1);
  ArrayRef<Index> batchAt = q.at.take_front(batch);
  // Returns the coordinates of an operand: its batch dimensions broadcast, aligned at the last
  // dimension.
  auto operandAt = [&](const Shape &shape, Lanes &l) {
    SmallVector<Index> at;
    size_t own = shape.size() > 2 ? shape.size() - 2 : 0;
    for (size_t i = 0; i < own; ++i) {
      at.push_back(shape[i] == 1 ? l.constant(0) : batchAt[batch - own + i]);
    }
    return at;
  };
  Arithmetic a{k.lanes(), type};
  int64_t depth = lhs.back();
  return k.loop(depth, {a.number(0)}, [&](Value i, ValueRange carried) {
    Lanes l = k.lanes();
    Arithmetic inner{l, type};
    SmallVector<Index> left = operandAt(lhs, l);
    if (!isRow) {
      left.push_back(q.at[batch]);
    }
    left.push_back(l.uniform(i));
    SmallVector<Index> right = operandAt(rhs, l);
    right.push_back(l.uniform(i));
    if (!isColumn) {
      right.push_back(q.at.back());
    }
    Value x = prepareLeft(l, k.element(op.getLhs(), left, q.mask));
    Value y = prepareRight(l, k.element(op.getRhs(), right, q.mask));
    return SmallVector<Value>{inner.multiplyAdd(x, y, carried[0])};
  })[0];
}

Value emitMatMul(graph::MatMulOp op, KernelEmitter &k, const ElementQuery &q) {
  ElementType type = k.type(op.getResult());
  auto keep = [](Lanes &, Value value) { return value; };
  Value sum = emitProductSum(op, k, q, type, keep, keep);
  Lanes l = k.lanes();
  return roundTo(l, type, sum);
}

Value emitIntegerMatMul(graph::IntegerMatMulOp op, KernelEmitter &k, const ElementQuery &q) {
  ElementType type = k.type(op.getResult()); // i32 or i64
  auto left = [&](Lanes &l, Value x) {
    return centered(l, x, k.type(op.getLhs()), op.getLhsZeroPoint(), type);
  };
  Lanes outer = k.lanes();
  Value zeros = op.getChannelZeroPoints();
  zeros = zeros ? convert(outer, k.element(zeros, {q.at.back()}, q.mask), ElementType::I32, type)
                : Value();
  auto right = [&](Lanes &l, Value y) {
    Value own = centered(l, y, k.type(op.getRhs()), op.getRhsZeroPoint(), type);
    return zeros ? l.op<arith::SubIOp>(own, zeros) : own;
  };
  Value sum = emitProductSum(op, k, q, type, left, right);
  if (op.getBias()) {
    sum = k.lanes().op<arith::AddIOp>(sum, k.element(op.getBias(), {q.at.back()}, q.mask));
  }
  return sum;
}

/// Returns the zero point of the row or column of an element, in i32. `at` are the coordinates of
/// the element in the result.
Value emitZeroPoint(KernelEmitter &k, Value zeroPoint, ArrayRef<Index> at, Value mask) {
  Lanes l = k.lanes();
  return convert(l, k.broadcast(zeroPoint, at, mask), k.type(zeroPoint), ElementType::I32);
}

Value emitByteMatMul(graph::ByteMatMulOp op, KernelEmitter &k, const ElementQuery &q) {
  Value leftZero = emitZeroPoint(k, op.getLhsZeroPoint(), q.at, q.mask);
  Value rightZero = emitZeroPoint(k, op.getRhsZeroPoint(), q.at, q.mask);
  auto left = [&](Lanes &l, Value x) {
    return l.op<arith::SubIOp>(centered(l, x, k.type(op.getLhs()), 0), leftZero);
  };
  auto right = [&](Lanes &l, Value y) {
    return l.op<arith::SubIOp>(centered(l, y, k.type(op.getRhs()), 0), rightZero);
  };
  return emitProductSum(op, k, q, ElementType::I32, left, right);
}

/// Splits "ab,bc->ac" into the labels of each operand and of the result.
void parseEquation(StringRef equation, SmallVector<StringRef> &operands, StringRef &result) {
  auto [left, right] = equation.split("->");
  left.split(operands, ',');
  result = right;
}

Value emitEinsum(graph::EinsumOp op, KernelEmitter &k, const ElementQuery &q) {
  SmallVector<StringRef> labels;
  StringRef resultLabels;
  parseEquation(op.getEquation(), labels, resultLabels);
  ElementType type = k.type(op.getResult());
  std::map<char, Index> position;
  for (auto [label, index] : llvm::zip(resultLabels, q.at)) {
    position[label] = index;
  }
  SmallVector<char> summed;
  SmallVector<int64_t> extents;
  for (auto [text, input] : llvm::zip(labels, op.getInputs())) {
    for (auto [label, dim] : llvm::zip(text, k.shape(input))) {
      if (position.count(label)) {
        continue;
      }
      auto it = llvm::find(summed, label);
      if (it == summed.end()) {
        summed.push_back(label);
        extents.push_back(dim);
      } else {
        int64_t &extent = extents[it - summed.begin()];
        extent = std::max(extent, dim);
      }
    }
  }
  Arithmetic a{k.lanes(), type};
  auto term = [&](ArrayRef<Value> ivs, ValueRange carried) {
    Arithmetic inner{k.lanes(), type};
    for (auto [label, iv] : llvm::zip(summed, ivs)) {
      position[label] = inner.lanes.uniform(iv);
    }
    Value product;
    for (auto [text, input] : llvm::zip(labels, op.getInputs())) {
      SmallVector<Index> at;
      for (auto [label, dim] : llvm::zip(text, k.shape(input))) {
        at.push_back(dim == 1 ? inner.lanes.constant(0) : position[label]);
      }
      Value x = k.element(input, at, q.mask);
      product = product ? inner.mul(product, x) : x;
    }
    return SmallVector<Value>{inner.add(carried[0], product)};
  };
  return roundTo(a.lanes, type, k.loops(extents, {a.number(0)}, term)[0]);
}

} // namespace

void addProductEmitters(EmitterTable &table) {
  table.addElement<graph::ByteMatMulOp, emitByteMatMul>();
  table.addElement<graph::IntegerMatMulOp, emitIntegerMatMul>();
  table.addElement<graph::MatMulOp, emitMatMul>();
  table.addElement<graph::EinsumOp, emitEinsum>();
}

} // namespace convoy::kernels
