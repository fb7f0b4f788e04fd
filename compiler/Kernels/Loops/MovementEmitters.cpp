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

/// Dimensions [begin, end) of a shape.
struct DimRange {
  size_t begin, end;
};

/// Returns the coordinates in dimensions of sizes `to` of the element at `at` in dimensions of
/// sizes `from`, which have the same number of elements. If the last coordinate is a block of
/// channels, the last new coordinate is one too; movesBlocks ensures that both sizes are whole
/// blocks.
SmallVector<Index> regrouped(KernelEmitter &k, ArrayRef<Index> at, ArrayRef<int64_t> from,
                             ArrayRef<int64_t> to) {
  Lanes l = k.lanes();
  Value number = at.empty() ? Value() : k.blockNumber(at.back());
  bool isBlock = number && to.back() % k.width == 0 && from.back() % k.width == 0;
  if (!isBlock) {
    return l.delinearize(l.linearize(at, from), to);
  }
  SmallVector<Index> places(at);
  Shape blocksFrom(from), blocksTo(to);
  places.back() = l.uniform(number);
  blocksFrom.back() /= k.width;
  blocksTo.back() /= k.width;
  SmallVector<Index> result = l.delinearize(l.linearize(places, blocksFrom), blocksTo);
  result.back() = k.blockOfChannels(result.back().base, k.width);
  return result;
}

/// Maps coordinates between two shapes with the same elements. Dimensions that both shapes have
/// keep their coordinate, so lanes along such a dimension stay together.
SmallVector<Index> reshaped(KernelEmitter &k, ArrayRef<Index> at, const Shape &from,
                            const Shape &to) {
  SmallVector<Index> result;
  DimRange source{0, 0}, target{0, 0};
  while (source.end < from.size() || target.end < to.size()) {
    int64_t sourceSize = 1, targetSize = 1;
    do { // Take dimensions until both ranges have the same number of elements.
      bool takesSource =
          target.end == to.size() || (source.end < from.size() && sourceSize <= targetSize);
      (takesSource ? sourceSize : targetSize) *=
          takesSource ? from[source.end++] : to[target.end++];
    } while (sourceSize != targetSize);
    size_t count = source.end - source.begin;
    ArrayRef<Index> own = at.slice(source.begin, count);
    bool isSame = count == 1 && target.end - target.begin == 1;
    llvm::append_range(
        result, isSame ? SmallVector<Index>(own)
                       : regrouped(k, own, ArrayRef(from).slice(source.begin, count),
                                   ArrayRef(to).slice(target.begin, target.end - target.begin)));
    source.begin = source.end;
    target.begin = target.end;
  }
  return result;
}

Value emitReshape(graph::ReshapeOp op, KernelEmitter &k, const ElementQuery &q) {
  Value input = op.getInput();
  Shape from = k.shape(op.getResult());
  if (*elementCount(from) == 0 || (k.isInMemory(input) && !graph::layoutOf(input.getType()))) {
    Lanes l = k.lanes();
    return k.elementAt(input, l.linearize(q.at, from), q.mask);
  }
  return k.element(input, reshaped(k, q.at, from, k.shape(input)), q.mask);
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

/// Returns whether the lanes are a block of channels of a blocked value along `axis`.
bool isBlockOfLanes(KernelEmitter &k, Value value, ArrayRef<Index> at, int64_t axis) {
  return graph::channelBlock(value.getType()) == k.width && k.width > 1 &&
         axis == static_cast<int64_t>(graph::channelDim(at.size())) && k.blockNumber(at[axis]);
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
    at[axis] = step == 1 && start % k.width == 0 && isBlockOfLanes(k, op.getInput(), at, axis)
                   ? k.laterBlock(at[axis], start, k.width)
                   : l.add(l.mul(at[axis], step), start);
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

/// Returns the lesser of two indices.
Index lesser(Lanes &l, const Index &x, const Index &y) {
  if (x.isUniform() && y.isUniform()) {
    return l.uniform(l.op<arith::MinSIOp>(x.base, y.base));
  }
  Value lower = l.op<arith::MinSIOp>(l.toLanes(x), l.toLanes(y));
  return l.width == 1 ? Index{lower, 0, {}} : Index{{}, 0, lower};
}

/// Returns the distance from the nearer end of a period: 0 1 2 1 0 1 2 ... for dim 3. If both pads
/// are shorter than the dimension, an index is mirrored at most once, which needs no division:
///
///     index -2 -1 0 1 2 3 4,  magnitude 2 1 0 1 2 3 4,  4 - magnitude 2 3 4 3 2 1 0
Index reflect(Lanes &l, const Index &index, int64_t dim, int64_t pad, int64_t padEnd) {
  if (dim == 1) {
    return l.constant(0);
  }
  int64_t period = 2 * (dim - 1);
  if (pad < dim && padEnd < dim) {
    Index low = l.sub(l.constant(0), lesser(l, index, l.sub(l.constant(0), index)));
    return lesser(l, low, l.sub(l.constant(period), low));
  }
  // Shift by whole periods, so that the remainder is taken of a non-negative number.
  int64_t shift = llvm::alignTo(std::max<int64_t>(pad, 0), period);
  Index phase = l.rem(l.add(index, shift), period);
  return lesser(l, phase, l.sub(l.constant(period), phase));
}

/// Returns the index in the input for an index in the result, minus the pad at the beginning.
/// Removes the elements of a constant pad from `inside`.
Index paddedIndex(graph::PadMode mode, Lanes &l, Index index, int64_t dim, int64_t begin,
                  int64_t end, Value &inside) {
  switch (mode) {
  case graph::PadMode::Constant:
    inside = l.both(inside, l.inBounds(index, dim));
    return index;
  case graph::PadMode::Reflect:
    return reflect(l, index, dim, begin, end);
  case graph::PadMode::Edge:
    return l.min(l.max(index, 0), dim - 1);
  case graph::PadMode::Wrap:
    break;
  }
  auto whole = static_cast<int64_t>(llvm::alignTo(std::max<int64_t>(begin, 0), dim));
  return l.rem(l.add(index, whole), dim);
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
    int64_t begin = pads[i], end = pads[count + i];
    if (begin != 0 || end != 0) {
      at[axis] =
          paddedIndex(op.getMode(), l, l.add(at[axis], -begin), shape[axis], begin, end, inside);
    }
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
  // The difference cannot overflow. The sum of the row and an extreme offset can.
  Value diagonal = l.op<arith::SubIOp>(column, row);
  Value bound = offset ? convert(l, offset, k.type(op.getK()), ElementType::I64) : l.intOf(i64, 0);
  Value keeps = l.compare(op.getUpper() ? arith::CmpIPredicate::sge : arith::CmpIPredicate::sle,
                          diagonal, bound);
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
