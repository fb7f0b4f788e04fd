// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits ops that select elements: each maps the requested coordinates to coordinates of an operand.
// Only concatenation writes its whole result.

#include "Kernels/Loops/Arithmetic.h"
#include "Kernels/Loops/KernelEmitter.h"
#include "Kernels/Loops/Limits.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

Value emitReshape(graph::ReshapeOp op, KernelEmitter &k, const ElementQuery &q) {
  Lanes l = k.lanes();
  return k.elementAt(op.getInput(), l.linearize(q.at, k.shape(op.getResult())), q.mask);
}

/// Converts between layouts; load and store use the layouts of their operands.
Value emitReorder(graph::ReorderOp op, KernelEmitter &k, const ElementQuery &q) {
  return k.element(op.getInput(), q.at, q.mask);
}

Value emitTranspose(graph::TransposeOp op, KernelEmitter &k, const ElementQuery &q) {
  SmallVector<Index> at(q.at.size());
  for (auto [i, from] : llvm::enumerate(op.getPerm())) {
    at[from] = q.at[i];
  }
  return k.element(op.getInput(), at, q.mask);
}

Value emitSlice(graph::SliceOp op, KernelEmitter &k, const ElementQuery &q) {
  Lanes l = k.lanes();
  Shape shape = k.shape(op.getInput());
  Shape starts = k.ints(op.getStarts());
  SmallVector<Index> at(q.at.begin(), q.at.end());
  for (size_t i = 0; i < starts.size(); ++i) {
    int64_t axis = op.getAxes() ? k.ints(op.getAxes())[i] : static_cast<int64_t>(i);
    axis += axis < 0 ? shape.size() : 0;
    int64_t step = op.getSteps() ? k.ints(op.getSteps())[i] : 1;
    int64_t dim = shape[axis];
    int64_t start = starts[i] < 0 ? starts[i] + dim : starts[i];
    start = std::clamp<int64_t>(start, 0, step > 0 ? dim : dim - 1);
    at[axis] = l.add(l.mul(at[axis], step), start);
  }
  return k.element(op.getInput(), at, q.mask);
}

Value emitExpand(graph::ExpandOp op, KernelEmitter &k, const ElementQuery &q) {
  return k.broadcast(op.getInput(), q.at, q.mask);
}

Value emitTile(graph::TileOp op, KernelEmitter &k, const ElementQuery &q) {
  Lanes l = k.lanes();
  SmallVector<Index> at;
  for (auto [index, dim] : llvm::zip(q.at, k.shape(op.getInput()))) {
    at.push_back(l.rem(index, dim));
  }
  return k.element(op.getInput(), at, q.mask);
}

/// Returns the distance from the nearer end of a period: 0 1 2 1 0 1 2 ... for dim 3.
Index reflect(Lanes &l, const Index &index, int64_t dim, int64_t pad) {
  if (dim == 1) {
    return l.constant(0);
  }
  int64_t period = 2 * (dim - 1);
  // Shift by whole periods, so that the remainder is taken of a non-negative number.
  int64_t shift = llvm::alignTo(std::max<int64_t>(pad, 0), period);
  Index phase = l.rem(l.add(index, shift), period);
  Index mirrored = l.sub(l.constant(period), phase);
  Value lower = l.op<arith::MinSIOp>(l.toLanes(phase), l.toLanes(mirrored));
  return l.width == 1 ? Index{lower, 0, {}} : Index{{}, 0, lower};
}

Value emitPad(graph::PadOp op, KernelEmitter &k, const ElementQuery &q) {
  Lanes l = k.lanes();
  Shape shape = k.shape(op.getInput());
  Shape pads = k.ints(op.getPads());
  SmallVector<Index> at(q.at.begin(), q.at.end());
  Value inside;
  size_t count = pads.size() / 2;
  for (size_t i = 0; i < count; ++i) {
    int64_t axis = op.getAxes() ? k.ints(op.getAxes())[i] : static_cast<int64_t>(i);
    axis += axis < 0 ? shape.size() : 0;
    if (pads[i] == 0 && pads[count + i] == 0) {
      continue;
    }
    Index index = l.add(at[axis], -pads[i]);
    int64_t dim = shape[axis];
    switch (op.getMode()) {
    case graph::PadMode::Constant:
      inside = l.both(inside, l.inBounds(index, dim));
      break;
    case graph::PadMode::Reflect:
      index = reflect(l, index, dim, pads[i]);
      break;
    case graph::PadMode::Edge:
      index = l.min(l.max(index, 0), dim - 1);
      break;
    case graph::PadMode::Wrap:
      index = l.rem(
          l.add(index, static_cast<int64_t>(llvm::alignTo(std::max<int64_t>(pads[i], 0), dim))),
          dim);
      break;
    }
    at[axis] = index;
  }
  Value element = k.element(op.getInput(), at, l.both(q.mask, inside));
  if (!inside) {
    return element;
  }
  Arithmetic a{l, k.type(op.getInput())};
  Value outside = op.getValue() ? k.elementAt(op.getValue(), l.constant(0)) : a.number(0);
  return l.select(inside, element, outside);
}

Value emitRange(graph::RangeOp op, KernelEmitter &k, const ElementQuery &q) {
  Lanes l = k.lanes();
  ElementType type = k.type(op.getResult());
  Arithmetic a{l, type};
  Value start = k.elementAt(op.getStart(), l.constant(0));
  Value delta = k.elementAt(op.getDelta(), l.constant(0));
  Value step = convert(l, l.toValue(q.at[0], l.b.getI64Type()), ElementType::I64, type);
  return roundTo(l, type, a.add(start, roundTo(l, type, a.mul(step, delta))));
}

Value emitTrilu(graph::TriluOp op, KernelEmitter &k, const ElementQuery &q) {
  Lanes l = k.lanes();
  size_t rank = q.at.size();
  Value offset = op.getK() ? k.elementAt(op.getK(), l.constant(0)) : Value();
  Type i64 = l.b.getI64Type();
  Value row = l.toValue(q.at[rank - 2], i64);
  Value column = l.toValue(q.at[rank - 1], i64);
  Value diagonal =
      offset ? l.op<arith::AddIOp>(row, convert(l, offset, k.type(op.getK()), ElementType::I64))
             : row;
  Value keeps = l.compare(op.getUpper() ? arith::CmpIPredicate::sge : arith::CmpIPredicate::sle,
                          column, diagonal);
  Arithmetic a{l, k.type(op.getInput())};
  return l.select(keeps, k.element(op.getInput(), q.at, q.mask), a.number(0));
}

/// Copies one box per operand into the result. The layout stage ensures that blocked operands are
/// whole blocks, so their lanes stay together.
void emitConcat(graph::ConcatOp op, KernelEmitter &k) {
  int64_t offset = 0;
  int64_t block = graph::channelBlock(op.getResult().getType());
  Buffer out = *k.output(op, 0);
  for (Value input : op.getInputs()) {
    Shape shape = k.shape(input);
    if (elementCount(shape) == 0) {
      continue;
    }
    k.wholeNest(shape, k.type(input), block, [&](ArrayRef<Index> at) {
      Lanes l = k.lanes();
      SmallVector<Index> target(at.begin(), at.end());
      Index &along = target[op.getAxis()];
      bool isAlongLanes =
          block != 0 && static_cast<int64_t>(op.getAxis()) == graph::channelDim(shape.size());
      along = isAlongLanes ? k.laterBlock(along, offset, block) : l.add(along, offset);
      Value element = k.element(input, at);
      store(l, out, k.offset(op.getResult(), target), element);
    });
    offset += shape[op.getAxis()];
  }
}

std::string sliceLimit(Operation *op) {
  auto slice = cast<graph::SliceOp>(op);
  return firstNotConstant({{slice.getStarts(), "starts"},
                           {slice.getEnds(), "ends"},
                           {slice.getAxes(), "axes"},
                           {slice.getSteps(), "steps"}});
}

std::string padLimit(Operation *op) {
  auto pad = cast<graph::PadOp>(op);
  return firstNotConstant({{pad.getPads(), "pads"}, {pad.getAxes(), "axes"}});
}

} // namespace

void addMovementEmitters(EmitterTable &table) {
  table.addElement<graph::ReshapeOp, emitReshape>();
  table.addElement<graph::ReorderOp, emitReorder>();
  table.addElement<graph::TransposeOp, emitTranspose>();
  table.addElement<graph::SliceOp, emitSlice>(sliceLimit);
  table.addElement<graph::ExpandOp, emitExpand>();
  table.addElement<graph::TileOp, emitTile>();
  table.addElement<graph::PadOp, emitPad>(padLimit);
  table.addElement<graph::RangeOp, emitRange>();
  table.addElement<graph::TriluOp, emitTrilu>();
  table.addWhole<graph::ConcatOp, emitConcat>();
}

} // namespace convoy::kernels
