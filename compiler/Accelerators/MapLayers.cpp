// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces layers that a device does not support with layers that it supports. Integer results stay
// bit-exact: an integer mean is divided once, as one sum, by a convolution with ones.

#include "Accelerators/Rewrites.h"
#include "ConvCore/LayerBuilder.h"
#include "Graph/Graph.h"

using namespace mlir;

namespace convoy::accelerators {
namespace {

using convcore::LayerBuilder;

/// With more slices than this, commands and copies cost more than the products with zeros.
constexpr int64_t kMostSlices = 8;

bool exceeds(Operation *op, Quantity quantity, const Accelerator &device) {
  std::optional<int64_t> limit =
      device.capabilities().limit(op->getName().stripDialect(), quantity);
  return limit && measure(op, quantity).value_or(0) > *limit;
}

/// Returns a copy of the convolution with other weights.
convcore::ConvOp withWeights(convcore::ConvOp op, const Tensor &weight, OpBuilder &builder) {
  auto copy = cast<convcore::ConvOp>(builder.clone(*op));
  builder.setInsertionPoint(copy);
  copy.getWeightMutable().assign(graph::constant(builder, op.getLoc(), weight));
  return copy;
}

/// Returns whether the device supports the op, or would support it with fewer groups, which are
/// mapped last.
bool isTaken(Operation *op, const Accelerator &device) {
  std::optional<Refusal> refusal = whyNot(device, op);
  return !refusal || refusal->quantity == Quantity::Groups;
}

/// Replaces `op` with `result` if the device supports all ops from `first` to the one that defines
/// `result`; otherwise erases these ops.
bool keepIfTaken(Operation *op, Operation *first, Value result, const Accelerator &device) {
  Operation *last = result.getDefiningOp();
  SmallVector<Operation *> made;
  for (Operation *next = first; next != last; next = next->getNextNode()) {
    made.push_back(next);
  }
  made.push_back(last);
  if (!llvm::all_of(made, [&](Operation *next) { return isTaken(next, device); })) {
    for (Operation *next : llvm::reverse(made)) {
      next->erase();
    }
    return false;
  }
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
  return true;
}

/// Inserts dilation - 1 zeros between neighboring kernel elements.
Tensor spreadKernel(const Tensor &weight, ArrayRef<int64_t> dilations, int64_t zero) {
  int64_t height = (weight.dim(2) - 1) * dilations[0] + 1;
  int64_t width = (weight.dim(3) - 1) * dilations[1] + 1;
  Tensor result(weight.type(), {weight.dim(0), weight.dim(1), height, width});
  for (int64_t i = 0; zero != 0 && i < result.size(); ++i) {
    result.setInt(i, zero);
  }
  for (int64_t i = 0; i < weight.size(); ++i) {
    int64_t column = i % weight.dim(3) * dilations[1];
    int64_t row = i / weight.dim(3) % weight.dim(2) * dilations[0];
    int64_t to = (i / weight.dim(3) / weight.dim(2) * height + row) * width + column;
    isFloat(weight.type()) ? result.setDouble(to, weight.asDouble(i))
                           : result.setInt(to, weight.asInt(i));
  }
  return result;
}

/// Expands weights O x I/g x H x W of g groups to O x I x H x W, with zeros outside of each group.
Tensor denseWeights(const Tensor &weight, int64_t groups, int64_t zero) {
  int64_t inputs = weight.dim(1);
  int64_t taps = weight.dim(2) * weight.dim(3);
  int64_t outputs = weight.dim(0) / groups;
  Tensor result(weight.type(), {weight.dim(0), inputs * groups, weight.dim(2), weight.dim(3)});
  for (int64_t i = 0; zero != 0 && i < result.size(); ++i) {
    result.setInt(i, zero);
  }
  for (int64_t i = 0; i < weight.size(); ++i) {
    int64_t output = i / taps / inputs;
    int64_t input = output / outputs * inputs + i / taps % inputs;
    int64_t to = (output * inputs * groups + input) * taps + i % taps;
    isFloat(weight.type()) ? result.setDouble(to, weight.asDouble(i))
                           : result.setInt(to, weight.asInt(i));
  }
  return result;
}

bool mapDilation(convcore::ConvOp op, const Accelerator &device) {
  std::optional<Tensor> weight = graph::constantValue(op.getWeight());
  if (!weight || !(exceeds(op, Quantity::DilationHeight, device) ||
                   exceeds(op, Quantity::DilationWidth, device))) {
    return false;
  }
  OpBuilder builder(op);
  auto zero = static_cast<int64_t>(op.getWeightZeroPoint());
  convcore::ConvOp copy = withWeights(op, spreadKernel(*weight, op.getDilations(), zero), builder);
  copy.setDilations({1, 1});
  return keepIfTaken(op, copy.getWeight().getDefiningOp(), copy, device);
}

Tensor rowsOf(const Tensor &tensor, int64_t begin, int64_t count) {
  Shape shape(tensor.shape());
  int64_t row = tensor.size() / std::max<int64_t>(shape[0], 1);
  shape[0] = count;
  Tensor result(tensor.type(), shape);
  std::copy_n(tensor.data<char>() + begin * row * storageBytes(tensor.type()), result.bytes(),
              result.mutableData<char>());
  return result;
}

/// Returns the requantization of `count` output channels from `begin`.
convcore::RequantAttr partOf(convcore::RequantAttr requant, int64_t begin, int64_t count) {
  if (!requant || requant.getMultipliers().size() == 1) {
    return requant;
  }
  return convcore::RequantAttr::get(requant.getContext(), requant.getType(),
                                    requant.getMultipliers().slice(begin, count),
                                    requant.getShifts().slice(begin, count), requant.getZeroPoint(),
                                    requant.getLow(), requant.getHigh(), requant.getRounding());
}

/// Rewrites a grouped convolution as slices of the input, one convolution per group, and their
/// concatenation.
bool sliceGroups(convcore::ConvOp op, const Tensor &weight, const Accelerator &device) {
  auto groups = static_cast<int64_t>(op.getGroups());
  std::optional<Tensor> bias = op.getBias() ? graph::constantValue(op.getBias()) : std::nullopt;
  if (groups > kMostSlices || (op.getBias() && !bias)) {
    return false;
  }
  OpBuilder builder(op);
  LayerBuilder b(builder, op);
  Shape shape = b.shapeOf(op.getInput());
  shape[1] /= groups;
  int64_t outputs = weight.dim(0) / groups;
  Operation *first = nullptr;
  SmallVector<Value> parts;
  for (int64_t g = 0; g < groups; ++g) {
    Value slice = b.emit<convcore::SliceOp>(op.getInput(), ArrayRef<int64_t>{0, g * shape[1], 0, 0},
                                            ArrayRef<int64_t>(shape));
    first = first ? first : slice.getDefiningOp();
    Value partWeight = b.constant(rowsOf(weight, g * outputs, outputs));
    Value partBias = bias ? b.constant(rowsOf(*bias, g * outputs, outputs)) : Value();
    parts.push_back(b.emit<convcore::ConvOp>(
        slice, partWeight, partBias, op.getStrides(), op.getPads(), op.getDilations(),
        /*groups=*/1, op.getInputZeroPoint(), op.getWeightZeroPoint(), op.getActivationAttr(),
        partOf(op.getRequantAttr(), g * outputs, outputs)));
  }
  Value joined = b.emit<convcore::ConcatOp>(parts, /*axis=*/1);
  return keepIfTaken(op, first, joined, device);
}

bool mapGroups(convcore::ConvOp op, const Accelerator &device) {
  std::optional<Tensor> weight = graph::constantValue(op.getWeight());
  if (!weight || !exceeds(op, Quantity::Groups, device)) {
    return false;
  }
  if (sliceGroups(op, *weight, device)) {
    return true;
  }
  OpBuilder builder(op);
  Tensor dense = denseWeights(*weight, static_cast<int64_t>(op.getGroups()),
                              static_cast<int64_t>(op.getWeightZeroPoint()));
  convcore::ConvOp copy = withWeights(op, dense, builder);
  copy.setGroups(1);
  return keepIfTaken(op, copy.getWeight().getDefiningOp(), copy, device);
}

/// Factors `size` into factors of at most `most`, largest first; empty if that is not possible.
SmallVector<int64_t> factorsWithin(int64_t size, int64_t most) {
  SmallVector<int64_t> factors;
  while (size > 1) {
    int64_t factor = std::min(most, size);
    while (factor > 1 && size % factor != 0) {
      --factor;
    }
    if (factor <= 1) {
      return {};
    }
    factors.push_back(factor);
    size /= factor;
  }
  return factors;
}

/// Rewrites a global pool as a chain of pools whose windows do not overlap.
bool chainPool(convcore::PoolOp op, int64_t mostHeight, int64_t mostWidth,
               const Accelerator &device) {
  SmallVector<int64_t> heights = factorsWithin(op.getKernel()[0], mostHeight);
  SmallVector<int64_t> widths = factorsWithin(op.getKernel()[1], mostWidth);
  bool isDivided =
      (op.getKernel()[0] == 1 || !heights.empty()) && (op.getKernel()[1] == 1 || !widths.empty());
  // A mean of rounded means is not bit-exact for integers.
  bool isFloats = isa<FloatType>(cast<RankedTensorType>(op.getType()).getElementType());
  if (!isDivided || (op.getKind() == convcore::PoolKind::Average && !isFloats)) {
    return false;
  }
  heights.resize(std::max(heights.size(), widths.size()), 1);
  widths.resize(heights.size(), 1);
  OpBuilder builder(op);
  LayerBuilder b(builder, op);
  Value value = op.getInput();
  Operation *first = nullptr;
  for (auto [height, width] : llvm::zip(heights, widths)) {
    value = b.pool(op.getKind(), value, {height, width}, {height, width}, {0, 0, 0, 0},
                   /*countIncludePad=*/false);
    first = first ? first : value.getDefiningOp();
  }
  return keepIfTaken(op, first, value, device);
}

/// Rewrites a mean as a depthwise convolution with weights 1 / count for floats, or ones for
/// integers, whose requantization includes the division.
bool meanAsConv(convcore::PoolOp op, const Accelerator &device) {
  OpBuilder builder(op);
  LayerBuilder b(builder, op);
  int64_t channels = b.shapeOf(op.getInput())[1];
  ElementType type = b.elementOf(op.getInput());
  bool isOfFloats = isFloat(type);
  int64_t taps = op.getKernel()[0] * op.getKernel()[1];
  Tensor weight(isOfFloats ? type : ElementType::I8,
                {channels, 1, op.getKernel()[0], op.getKernel()[1]});
  for (int64_t i = 0; i < weight.size(); ++i) {
    weight.setDouble(i, isOfFloats ? 1.0 / static_cast<double>(taps) : 1.0);
  }
  Value weightValue = b.constant(weight);
  int64_t ones[] = {1, 1};
  Value conv =
      b.emit<convcore::ConvOp>(op.getInput(), weightValue, Value(), op.getStrides(), op.getPads(),
                               ArrayRef<int64_t>(ones), channels, op.getInputZeroPoint(),
                               /*weightZeroPoint=*/0, convcore::ActAttr(), op.getRequantAttr());
  return keepIfTaken(op, weightValue.getDefiningOp(), conv, device);
}

bool mapPool(convcore::PoolOp op, const Accelerator &device) {
  bool isTooLarge =
      exceeds(op, Quantity::KernelHeight, device) || exceeds(op, Quantity::KernelWidth, device);
  if (!isTooLarge || op.getByAxis()) {
    return false;
  }
  auto input = cast<RankedTensorType>(op.getInput().getType()).getShape();
  bool isGlobal = op.getKernel() == input.drop_front(2);
  const Capabilities &table = device.capabilities();
  int64_t height = table.limit("pool", Quantity::KernelHeight).value_or(op.getKernel()[0]);
  int64_t width = table.limit("pool", Quantity::KernelWidth).value_or(op.getKernel()[1]);
  if (isGlobal && chainPool(op, height, width, device)) {
    return true;
  }
  bool countsAll =
      op.getCountIncludePad() || llvm::all_of(op.getPads(), [](int64_t pad) { return pad == 0; });
  return op.getKind() == convcore::PoolKind::Average && countsAll && meanAsConv(op, device);
}

/// Broadcasts one element, or one element per channel, to the shape.
Tensor repeated(const Tensor &tensor, ArrayRef<int64_t> shape) {
  Tensor result(tensor.type(), shape);
  int64_t plane = shape.size() < 2 ? 1 : *elementCount(shape.drop_front(2));
  for (int64_t i = 0; i < result.size(); ++i) {
    int64_t from = tensor.size() == 1 ? 0 : i / plane % tensor.size();
    isFloat(tensor.type()) ? result.setDouble(i, tensor.asDouble(from))
                           : result.setInt(i, tensor.asInt(from));
  }
  return result;
}

/// Expands a constant that broadcasts to the shape of the other operand.
bool mapEltwise(convcore::EltwiseOp op, const Accelerator &device) {
  std::optional<Tensor> constant = graph::constantValue(op.getRhs());
  auto shape = cast<RankedTensorType>(op.getLhs().getType()).getShape();
  if (!constant || ArrayRef<int64_t>(constant->shape()) == shape || isTaken(op, device)) {
    return false;
  }
  OpBuilder builder(op);
  auto copy = cast<convcore::EltwiseOp>(builder.clone(*op));
  builder.setInsertionPoint(copy);
  Value whole = graph::constant(builder, op.getLoc(), repeated(*constant, shape));
  copy.getRhsMutable().assign(whole);
  return keepIfTaken(op, whole.getDefiningOp(), copy.getResult(), device);
}

} // namespace

void mapLayers(func::FuncOp function, const Accelerator &device) {
  for (Operation &op : llvm::make_early_inc_range(function.getBody().front())) {
    if (auto pool = dyn_cast<convcore::PoolOp>(op)) {
      mapPool(pool, device);
    } else if (auto eltwise = dyn_cast<convcore::EltwiseOp>(op)) {
      mapEltwise(eltwise, device);
    }
  }
  for (Operation &op : llvm::make_early_inc_range(function.getBody().front())) {
    if (auto conv = dyn_cast<convcore::ConvOp>(op)) {
      mapDilation(conv, device);
    }
  }
  for (Operation &op : llvm::make_early_inc_range(function.getBody().front())) {
    if (auto conv = dyn_cast<convcore::ConvOp>(op)) {
      mapGroups(conv, device);
    }
  }
}

} // namespace convoy::accelerators
