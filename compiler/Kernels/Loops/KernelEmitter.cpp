// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements KernelEmitter: loops, the cache of requested elements, and the collapsing of
// dimensions.

#include "Kernels/Loops/KernelEmitter.h"
#include "Graph/Constant.h"
#include "Graph/OpFacts.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace convoy::kernels {

const EmitterTable &emitterTable() {
  static const EmitterTable kTable = [] {
    EmitterTable table;
    addElementwiseEmitters(table);
    addExtentEmitters(table);
    addGroupEmitters(table);
    addIntegerEmitters(table);
    addMovementEmitters(table);
    addProductEmitters(table);
    addReductionEmitters(table);
    addRegionEmitters(table);
    addSamplingEmitters(table);
    addScatterEmitters(table);
    addSelectionEmitters(table);
    addSortEmitters(table);
    addSuppressionEmitters(table);
    addTransformEmitters(table);
    addWindowEmitters(table);
    return table;
  }();
  return kTable;
}

ElementType KernelEmitter::type(Value value) const {
  return fromMlir(cast<TensorType>(value.getType()).getElementType());
}

Shape KernelEmitter::shape(Value value) const {
  ArrayRef<int64_t> dims = cast<RankedTensorType>(value.getType()).getShape();
  if (!collapse) {
    return Shape(dims.begin(), dims.end());
  }
  Shape padded(collapse->rank - dims.size(), 1);
  padded.append(dims.begin(), dims.end());
  Shape result;
  size_t next = 0;
  for (int64_t group : collapse->groups) {
    int64_t product = 1;
    for (int64_t i = 0; i < group; ++i) {
      product *= padded[next++];
    }
    result.push_back(product);
  }
  return result;
}

Shape KernelEmitter::ints(Value value) const { return graph::constantValue(value)->ints(); }

/// The sizes of the dimension that is being collapsed, one per tensor and the full size. A tensor
/// either has the full size or broadcasts.
struct Joint {
  int64_t full = 1;
  SmallVector<int64_t> sizes;

  explicit Joint(size_t tensors) : sizes(tensors, 1) {}

  /// Adds dimension i if the condition above still holds.
  bool join(ArrayRef<Shape> shapes, const Shape &fullShape, size_t i) {
    Joint next = *this;
    next.full *= fullShape[i];
    for (auto [size, shape] : llvm::zip(next.sizes, shapes)) {
      size *= shape[i];
      if (size != next.full && size != 1) {
        return false;
      }
    }
    *this = next;
    return true;
  }
};

void KernelEmitter::chooseCollapse(Block &body) {
  collapse.reset();
  bool isElementwise = llvm::all_of(body.without_terminator(),
                                    [](Operation &op) { return graph::collapsesDimensions(&op); });
  Operation *yield = body.getTerminator();
  auto isPlanar = [](Value value) { return !graph::layoutOf(value.getType()); };
  if (!isElementwise || yield->getNumOperands() != 1 || !isPlanar(yield->getOperand(0)) ||
      !llvm::all_of(body.getArguments(), isPlanar)) {
    return;
  }
  Shape full(cast<RankedTensorType>(yield->getOperand(0).getType()).getShape());
  SmallVector<Shape> shapes;
  auto collect = [&](Value value) {
    Shape dims(cast<RankedTensorType>(value.getType()).getShape());
    if (dims.size() <= full.size()) {
      Shape padded(full.size() - dims.size(), 1);
      padded.append(dims);
      shapes.push_back(padded);
      return true;
    }
    return false;
  };
  bool isAligned = llvm::all_of(body.getArguments(), collect);
  for (Operation &op : body.without_terminator()) {
    isAligned = isAligned && llvm::all_of(op.getResults(), collect);
  }
  if (!isAligned) {
    return;
  }
  collapse = Collapse();
  collapse->rank = full.size();
  Joint joint(shapes.size());
  for (size_t i = 0; i < full.size(); ++i) {
    if (i > 0 && joint.join(shapes, full, i)) {
      ++collapse->groups.back();
      continue;
    }
    joint = Joint(shapes.size());
    (void)joint.join(shapes, full, i);
    collapse->groups.push_back(1);
  }
}

/// Returns whether a cached value can be used at the insertion point: its block must enclose the
/// insertion point.
bool KernelEmitter::isVisible(Value value) const {
  Block *home = value.getParentBlock();
  for (Block *block = b.getInsertionBlock(); block;) {
    if (block == home) {
      return true;
    }
    Operation *parent = block->getParentOp();
    block = parent ? parent->getBlock() : nullptr;
  }
  return false;
}

std::vector<void *> KernelEmitter::keyOf(Value value, ArrayRef<Index> at, Value mask) const {
  std::vector<void *> key{value.getAsOpaquePointer(), mask.getAsOpaquePointer()};
  for (auto [index, size] : llvm::zip(at, shape(value))) {
    if (size == 1) {
      continue; // Every index along this dimension is zero.
    }
    key.push_back(index.base.getAsOpaquePointer());
    key.push_back(reinterpret_cast<void *>(index.step)); // NOLINT: a key, never dereferenced
    key.push_back(index.varying.getAsOpaquePointer());
  }
  key.push_back(reinterpret_cast<void *>(width)); // NOLINT: a key, never dereferenced
  return key;
}

Value KernelEmitter::element(Value value, ArrayRef<Index> at, Value mask) {
  std::vector<void *> key = keyOf(value, at, mask);
  auto it = cache.find(key);
  if (it != cache.end() && isVisible(it->second)) {
    return it->second;
  }
  Value result = compute(value, at, mask);
  cache[key] = result;
  return result;
}

void KernelEmitter::provide(Value value, ArrayRef<Index> at, Value element) {
  cache[keyOf(value, at, {})] = element;
}

Index KernelEmitter::blockOfChannels(Value blockIndex, int64_t block) {
  Value first = b.createOrFold<arith::MulIOp>(blockIndex, index(block));
  blockNumbers[first] = blockIndex;
  return {first, 1, {}};
}

Index KernelEmitter::laterBlock(const Index &channels, int64_t distance, int64_t block) {
  Value number = blockNumbers.lookup(channels.base);
  Value later = b.createOrFold<arith::AddIOp>(number, index(distance / block));
  return blockOfChannels(later, block);
}

Index KernelEmitter::offset(Value value, ArrayRef<Index> at) {
  Lanes l = lanes();
  Shape dims = shape(value);
  int64_t block = graph::channelBlock(value.getType());
  if (block == 0) {
    return l.linearize(at, dims);
  }
  // [outer][channel / block][inner][channel % block]
  int64_t channel = graph::channelDim(dims.size());
  SmallVector<Index> places(at.begin(), at.end());
  auto known = blockNumbers.find(at[channel].base);
  bool isBlock = at[channel].step == 1 && width == block && known != blockNumbers.end();
  places[channel] = isBlock ? l.uniform(known->second) : l.div(at[channel], block);
  places.push_back(isBlock ? Index{index(0), 1, {}} : l.rem(at[channel], block));
  Shape physical(dims);
  physical[channel] = llvm::divideCeilSigned(dims[channel], block);
  physical.push_back(block);
  return l.linearize(places, physical);
}

Value KernelEmitter::insideLanes(Value value, ArrayRef<Index> at, Value mask) {
  Lanes l = lanes();
  Shape dims = shape(value);
  // Memory in blocks of the same size is padded to whole blocks.
  if (graph::channelBlock(value.getType()) == width) {
    return mask;
  }
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] % width != 0 && !at[i].isUniform() && blockNumbers.contains(at[i].base)) {
      mask = l.both(mask, l.inBounds(at[i], dims[i]));
    }
  }
  return mask;
}

Value KernelEmitter::compute(Value value, ArrayRef<Index> at, Value mask) {
  Lanes l = lanes();
  if (isInMemory(value)) {
    Value inside = insideLanes(value, at, mask);
    return load(l, buffer(value), offset(value, at), inside);
  }
  Operation *op = value.getDefiningOp();
  if (auto constant = dyn_cast<graph::ConstantOp>(op)) {
    // Only splat constants occur inside a kernel where elements are requested.
    Tensor tensor = graph::toTensor(constant.getValue());
    Type scalar = registerType(value);
    return isa<FloatType>(scalar) ? l.constantOf(scalar, tensor.asDouble(0))
                                  : l.intOf(scalar, tensor.asInt(0));
  }
  ElementQuery query{cast<OpResult>(value).getResultNumber(), at, mask};
  return emitterTable().find(op)->element(op, *this, query);
}

Value KernelEmitter::elementAt(Value value, const Index &linear, Value mask) {
  Lanes l = lanes();
  if (isInMemory(value) && !graph::layoutOf(value.getType())) {
    return load(l, buffer(value), linear, mask);
  }
  return element(value, l.delinearize(linear, shape(value)), mask);
}

Value KernelEmitter::broadcast(Value value, ArrayRef<Index> at, Value mask) {
  Lanes l = lanes();
  Shape dims = shape(value);
  SmallVector<Index> own;
  for (size_t i = 0; i < dims.size(); ++i) {
    own.push_back(dims[i] == 1 ? l.constant(0) : at[at.size() - dims.size() + i]);
  }
  return element(value, own, mask);
}

SmallVector<Value>
KernelEmitter::loop(Value lower, Value upper, ArrayRef<Value> carried,
                    llvm::function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  Lanes l = lanes();
  SmallVector<Value> initial;
  for (Value value : carried) {
    initial.push_back(l.splat(value));
  }
  auto op = b.create<scf::ForOp>(lower, upper, index(1), initial);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(op.getBody());
  SmallVector<Value> next = body(op.getInductionVar(), op.getRegionIterArgs());
  for (Value &value : next) {
    value = l.splat(value);
  }
  if (!carried.empty()) {
    b.create<scf::YieldOp>(next);
  }
  return SmallVector<Value>(op.getResults());
}

SmallVector<Value>
KernelEmitter::loop(int64_t upper, ArrayRef<Value> carried,
                    llvm::function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  if (upper == 1) {
    return body(index(0), ValueRange(carried));
  }
  return loop(index(0), index(upper), carried, body);
}

SmallVector<Value>
KernelEmitter::loops(ArrayRef<int64_t> box, ArrayRef<Value> carried,
                     llvm::function_ref<SmallVector<Value>(ArrayRef<Value>, ValueRange)> body) {
  SmallVector<Value> at;
  std::function<SmallVector<Value>(ArrayRef<Value>)> inner = [&](ArrayRef<Value> values) {
    if (at.size() == box.size()) {
      return body(at, ValueRange(values));
    }
    return loop(box[at.size()], values, [&](Value i, ValueRange now) {
      at.push_back(i);
      SmallVector<Value> next = inner(SmallVector<Value>(now));
      at.pop_back();
      return next;
    });
  };
  return inner(SmallVector<Value>(carried));
}

/// Returns the bytes of an element in a register. Registers hold narrow types widened, so the
/// vector width follows the register type.
static int64_t registerBytes(ElementType type) {
  bool isWidened = isFloat(type) || type == ElementType::Bool;
  return isWidened ? std::max<int64_t>(storageBytes(type), 4) : storageBytes(type);
}

int64_t KernelEmitter::vectorLanes(ElementType type, int64_t extent) const {
  int64_t lanes = 1;
  while (lanes * 2 <= std::min(extent, vectorBytes / registerBytes(type))) {
    lanes *= 2;
  }
  return lanes;
}

void KernelEmitter::nest(Value value, llvm::function_ref<void(ArrayRef<Index>)> body) {
  if (int64_t block = graph::channelBlock(value.getType())) {
    emitBlockedNest(shape(value), block, /*usesRange=*/true, body);
  } else {
    emitNest(shape(value), type(value), /*usesRange=*/true, body);
  }
}

void KernelEmitter::wholeNest(ArrayRef<int64_t> shape, ElementType type, int64_t block,
                              llvm::function_ref<void(ArrayRef<Index>)> body) {
  if (block != 0) {
    emitBlockedNest(shape, block, /*usesRange=*/false, body);
  } else {
    emitNest(shape, type, /*usesRange=*/false, body);
  }
}

bool KernelEmitter::isVectorBlock(int64_t block) const {
  return llvm::isPowerOf2_64(static_cast<uint64_t>(block)) && block <= vectorBytes;
}

/// Emits blocks as outermost loops, pixels inside, and lanes along the channels of a block. Rows of
/// blocks are one loop, so that the range has many steps. If a block is not a vector, the innermost
/// loop runs over single channels.
void KernelEmitter::emitBlockedNest(ArrayRef<int64_t> shape, int64_t block, bool usesRange,
                                    llvm::function_ref<void(ArrayRef<Index>)> body) {
  size_t channel = graph::channelDim(shape.size());
  Shape outer(shape.take_front(channel));
  outer.push_back(llvm::divideCeilSigned(shape[channel], block));
  size_t next = channel + 1;
  if (next + 1 < shape.size()) {
    outer.push_back(shape[next++]);
  }
  bool isVector = isVectorBlock(block);
  Shape inner(shape.drop_front(next));
  if (!isVector) { // one loop over all channels, with the pixels outside
    outer[channel] = 1;
    inner.push_back(shape[channel]);
  }
  width = 1;
  auto step = [&](Value i, ValueRange) {
    width = 1;
    Lanes scalar = lanes();
    SmallVector<Index> at = scalar.delinearize(scalar.uniform(i), outer);
    at[channel] = isVector ? blockOfChannels(at[channel].base, block) : scalar.constant(0);
    loops(inner, {}, [&](ArrayRef<Value> ivs, ValueRange) {
      SmallVector<Index> whole(at);
      for (Value iv : ivs) {
        whole.push_back(scalar.uniform(iv));
      }
      if (!isVector) {
        whole[channel] = whole.pop_back_val();
      }
      width = isVector ? block : 1;
      body(whole);
      width = 1;
      return SmallVector<Value>();
    });
    return SmallVector<Value>();
  };
  int64_t steps = elementCount(outer).value_or(0);
  if (usesRange) {
    range = steps;
    loop(begin, end, {}, step);
  } else {
    loop(steps, {}, step);
  }
}

void KernelEmitter::emitNest(ArrayRef<int64_t> shape, ElementType type, bool usesRange,
                             llvm::function_ref<void(ArrayRef<Index>)> body) {
  SmallVector<Index> at(shape.size());
  int64_t laneDim = static_cast<int64_t>(shape.size()) - 1;
  while (laneDim >= 0 && shape[laneDim] == 1) {
    --laneDim;
  }
  int64_t row = laneDim < 0 ? 1 : shape[laneDim];
  int64_t rowWidth = vectorLanes(type, row);
  width = 1;
  Lanes scalar = lanes();
  bool isOutermost = usesRange;
  std::function<void(int64_t)> emitFrom = [&](int64_t dim) {
    if (dim == laneDim) {
      int64_t steps = llvm::divideCeilSigned(row, rowWidth);
      auto step = [&](Value i, ValueRange) {
        width = rowWidth;
        Value first = b.createOrFold<arith::MulIOp>(i, index(rowWidth));
        if (row % rowWidth != 0) {
          // The last vector overlaps the previous one, which avoids a masked tail. A kernel never
          // reads its own result, so writing an element twice is harmless.
          first = b.createOrFold<arith::MinSIOp>(first, index(row - rowWidth));
        }
        at[dim] = Index{first, 1, {}};
        body(at);
        width = 1;
        return SmallVector<Value>();
      };
      if (isOutermost && row % rowWidth != 0) {
        // The overlapping vector belongs to the previous step, because two tasks must not write the
        // same bytes, not even with the same values.
        range = steps - 1;
        Value isLast = b.create<arith::CmpIOp>(arith::CmpIPredicate::eq, end, index(range));
        loop(begin, b.create<arith::SelectOp>(isLast, index(steps), end), {}, step);
      } else if (isOutermost) {
        range = steps;
        loop(begin, end, {}, step);
      } else {
        loop(steps, {}, step);
      }
      return;
    }
    if (dim == static_cast<int64_t>(shape.size())) {
      body(at); // A single element.
      return;
    }
    if (shape[dim] == 1) {
      at[dim] = scalar.constant(0);
      emitFrom(dim + 1);
      return;
    }
    auto step = [&](Value i, ValueRange) {
      at[dim] = scalar.uniform(i);
      emitFrom(dim + 1);
      return SmallVector<Value>();
    };
    if (std::exchange(isOutermost, false)) {
      range = shape[dim];
      loop(begin, end, {}, step);
    } else {
      loop(shape[dim], {}, step);
    }
  };
  // All dimensions after the lane dimension are 1.
  for (int64_t dim = laneDim + 1; dim < static_cast<int64_t>(shape.size()); ++dim) {
    at[dim] = scalar.constant(0);
  }
  emitFrom(laneDim < 0 ? static_cast<int64_t>(shape.size()) : 0);
}

void KernelEmitter::serialNest(ArrayRef<int64_t> shape,
                               llvm::function_ref<void(ArrayRef<Index>)> body) {
  width = 1;
  loops(shape, {}, [&](ArrayRef<Value> ivs, ValueRange) {
    SmallVector<Index> at;
    for (Value iv : ivs) {
      at.push_back(Index{iv, 0, {}});
    }
    body(at);
    return SmallVector<Value>();
  });
}

std::optional<Buffer> KernelEmitter::output(Operation *op, unsigned i) const {
  auto it = outputs.find(op->getResult(i));
  return it == outputs.end() ? std::nullopt : std::optional<Buffer>(it->second);
}

void KernelEmitter::emitKernel(Block &body, ArrayRef<Value> results, Value rangeBegin,
                               Value rangeEnd) {
  begin = rangeBegin;
  end = rangeEnd;
  chooseCollapse(body);
  Operation *yield = body.getTerminator();
  for (unsigned i = 0; i < results.size(); ++i) {
    outputs[yield->getOperand(i)] = {results[i], type(yield->getOperand(i))};
  }
  Operation *root = yield->getOperand(0).getDefiningOp();
  const EmitterRow *row = root ? emitterTable().find(root) : nullptr;
  if (row && row->whole) {
    width = 1;
    row->whole(root, *this);
    return;
  }
  // Results of one shape share the range, so all have the width of the widest one. Otherwise the
  // nest of a narrow result would have fewer steps than the range and write beyond its end. One
  // task computes all results of different shapes.
  ElementType widest = type(yield->getOperand(0));
  bool sharesRange = true;
  for (Value value : yield->getOperands()) {
    widest = registerBytes(type(value)) > registerBytes(widest) ? type(value) : widest;
    sharesRange &= shape(value) == shape(yield->getOperand(0));
  }
  for (unsigned i = 0; i < results.size(); ++i) {
    Value value = yield->getOperand(i);
    Buffer out{results[i], type(value)};
    if (emitInterleaved(value, out)) {
      continue;
    }
    auto storeElement = [&](ArrayRef<Index> at) {
      Value computed = element(value, at);
      Lanes l = lanes();
      store(l, out, offset(value, at), computed);
    };
    int64_t block = graph::channelBlock(value.getType());
    if (!sharesRange) {
      wholeNest(shape(value), type(value), block, storeElement);
    } else if (block != 0) {
      nest(value, storeElement);
    } else {
      emitNest(shape(value), widest, /*usesRange=*/true, storeElement);
    }
  }
}

} // namespace convoy::kernels
