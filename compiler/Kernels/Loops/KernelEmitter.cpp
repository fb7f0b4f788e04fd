// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements KernelEmitter: the cache of requested elements and the collapsing of dimensions.
// LoopNests.cpp implements its loops.

#include "Kernels/Loops/KernelEmitter.h"
#include "Graph/Constant.h"
#include "Graph/Custom.h"
#include "Graph/OpFacts.h"
#include "Kernels/Loops/RowGather.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace convoy::kernels {

const EmitterTable &emitterTable() {
  static const EmitterTable kTable = [] {
    EmitterTable table;
    table.addAlone<graph::CustomOp>();
    addElementwiseEmitters(table);
    addExtentEmitters(table);
    addGroupEmitters(table);
    addIntegerEmitters(table);
    addLRNEmitters(table);
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

/// Returns whether the lanes read arbitrary elements of one short row of a value in memory, which
/// code generation may keep in registers.
static bool variesInRow(const KernelEmitter &k, Value value, ArrayRef<Index> at) {
  ElementType type = k.type(value);
  return at.size() > 1 && at.back().varying && k.shape(value).back() <= kMostRowElements &&
         (type == ElementType::F32 || type == ElementType::I32) &&
         !graph::layoutOf(value.getType()) &&
         llvm::all_of(at.drop_back(), [](const Index &x) { return x.isUniform(); });
}

Value KernelEmitter::compute(Value value, ArrayRef<Index> at, Value mask) {
  Lanes l = lanes();
  if (isInMemory(value)) {
    Value inside = insideLanes(value, at, mask);
    if (!inside && variesInRow(*this, value, at)) {
      SmallVector<Index> first(at.begin(), at.end());
      first.back() = l.constant(0);
      return loadFromRow(l, buffer(value), offset(value, first).base, at.back(),
                         shape(value).back());
    }
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
