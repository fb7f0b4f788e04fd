// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers graph ops to convcore ops, one function per op. Weights, tables and shapes must be
// constants, because they become part of the device's program. FromInteger.cpp lowers integer ops.

#include "ConvCore/FromGraph.h"
#include "ConvCore/FromInteger.h"
#include "ConvCore/LayerBuilder.h"
#include "Graph/AttributeRules.h"
#include "Graph/Graph.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;

namespace convoy::convcore {
namespace {

std::string lowerConv(graph::ConvOp op, LayerBuilder &b) {
  std::optional<Tensor> weight = b.constantOf(op.getWeight());
  std::optional<Tensor> bias = b.constantOf(op.getBias());
  if (!weight || (op.getBias() && !bias)) {
    return "its weights are not constant";
  }
  if (weight->rank() != 4) {
    return "it has " + std::to_string(weight->rank() - 2) +
           " spatial dimensions; convcore supports 2";
  }
  if (llvm::any_of(op.getPads(), [](int64_t pad) { return pad < 0; })) {
    return "it has negative padding";
  }
  if (!isFloat(weight->type())) {
    return "its element type is " + name(weight->type()).str();
  }
  return b.set(op.getResult(), b.conv(b.operand(op.getInput()), *weight, bias,
                                      {op.getStrides(), op.getPads(), op.getDilations(),
                                       static_cast<int64_t>(op.getGroups())}));
}

/// Lowers a product with a constant matrix to a 1x1 convolution: M x K becomes M x K x 1 x 1.
std::string lowerMatMul(graph::MatMulOp op, LayerBuilder &b) {
  std::optional<Tensor> matrix = b.constantOf(op.getRhs());
  if (!matrix || matrix->rank() != 2) {
    return "its right operand is not a constant matrix";
  }
  if (!isFloat(matrix->type())) {
    return "its element type is " + name(matrix->type()).str();
  }
  Value y = b.fullyConnected(b.operand(op.getLhs()), transposed(*matrix), std::nullopt);
  return b.set(op.getResult(), b.reshape(y, b.shapeOf(op.getResult())));
}

std::optional<EltwiseKind> eltwiseKind(graph::BinaryKind kind) {
  switch (kind) {
  case graph::BinaryKind::Add:
    return EltwiseKind::Add;
  case graph::BinaryKind::Sub:
    return EltwiseKind::Sub;
  case graph::BinaryKind::Mul:
    return EltwiseKind::Mul;
  case graph::BinaryKind::Max:
    return EltwiseKind::Max;
  case graph::BinaryKind::Min:
    return EltwiseKind::Min;
  default:
    return std::nullopt;
  }
}

/// If the constant broadcasts to `shape` as one element per channel, returns these elements.
std::optional<Tensor> perChannel(const std::optional<Tensor> &constant, ArrayRef<int64_t> shape) {
  if (!constant || shape.size() < 2) {
    return std::nullopt;
  }
  if (constant->size() == 1) {
    Tensor result(constant->type(), {shape[1]});
    for (int64_t i = 0; i < result.size(); ++i) {
      result.setDouble(i, constant->asDouble(0));
    }
    return result;
  }
  int64_t missing = static_cast<int64_t>(shape.size()) - constant->rank();
  for (int64_t i = 0; i < constant->rank(); ++i) {
    if (constant->dim(i) != 1 && i + missing != 1) {
      return std::nullopt;
    }
  }
  return constant->size() == shape[1] ? std::optional(constant->reshaped({shape[1]}))
                                      : std::nullopt;
}

/// Lowers x op vector, where the vector has one element per channel, or returns null if convcore
/// has no op for it.
Value lowerWithVector(graph::BinaryOp op, Value x, const Tensor &vector, LayerBuilder &b) {
  Tensor ones(vector.type(), vector.shape());
  Tensor negative(vector.type(), vector.shape());
  for (int64_t i = 0; i < vector.size(); ++i) {
    ones.setDouble(i, 1);
    negative.setDouble(i, -vector.asDouble(i));
  }
  switch (op.getKind()) {
  case graph::BinaryKind::Add:
    return b.scale(x, ones, vector);
  case graph::BinaryKind::Sub:
    return b.scale(x, ones, negative);
  case graph::BinaryKind::Mul:
    return b.scale(x, vector, std::nullopt);
  case graph::BinaryKind::PRelu:
    return b.prelu(x, vector);
  default:
    return {};
  }
}

/// Lowers a maximum or minimum with one number to a clip.
std::string lowerClip(graph::BinaryOp op, Value x, double bound, LayerBuilder &b) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  bool isMax = op.getKind() == graph::BinaryKind::Max;
  bool isRelu = isMax && bound == 0;
  auto clip = isMax ? ActAttr::getClip(b.context(), bound, kNone)
                    : ActAttr::getClip(b.context(), -kNone, bound);
  ActAttr relu = ActAttr::get(b.context(), ActKind::Relu);
  return b.set(op.getResult(), b.activation(x, isRelu ? relu : clip));
}

/// Lowers a clip of integers to a requantization with scale 1.
std::string lowerIntegerClip(Value input, Value result, std::optional<int64_t> least,
                             std::optional<int64_t> most, LayerBuilder &b) {
  ElementType type = b.elementOf(result);
  if (!isInteger(type) || bitWidth(type) > 16 || b.elementOf(input) != type ||
      b.shapeOf(input) != b.shapeOf(result)) {
    return "its element type is " + name(b.elementOf(input)).str();
  }
  int64_t low = isUnsignedInteger(type) ? 0 : -(int64_t(1) << (bitWidth(type) - 1));
  int64_t high = low + (int64_t(1) << bitWidth(type)) - 1;
  auto requant =
      RequantAttr::get(b.context(), toMlir(type, b.context()), {2}, {1},
                       /*zeroPoint=*/0, std::clamp(least.value_or(low), low, high),
                       std::clamp(most.value_or(high), low, high), graph::ShiftRounding::HalfAway);
  return b.set(result, b.emit<RequantizeOp>(b.operand(input), /*inputZeroPoint=*/0, requant));
}

/// Of the integer binary ops, only a maximum or minimum with one number can be lowered.
std::string lowerIntegerBinary(graph::BinaryOp op, LayerBuilder &b) {
  bool isMax = op.getKind() == graph::BinaryKind::Max;
  std::optional<Tensor> bound = b.constantOf(op.getRhs());
  if (!(isMax || op.getKind() == graph::BinaryKind::Min) || !bound || bound->size() != 1) {
    return "its element type is " + name(b.elementOf(op.getLhs())).str();
  }
  int64_t limit = bound->asInt(0);
  return lowerIntegerClip(op.getLhs(), op.getResult(), isMax ? std::optional(limit) : std::nullopt,
                          isMax ? std::nullopt : std::optional(limit), b);
}

std::string lowerBinary(graph::BinaryOp op, LayerBuilder &b) {
  if (!isFloat(b.elementOf(op.getResult()))) {
    return lowerIntegerBinary(op, b);
  }
  graph::BinaryKind kind = op.getKind();
  bool isCommutative = kind != graph::BinaryKind::Sub && kind != graph::BinaryKind::PRelu;
  Value lhs = op.getLhs();
  Value rhs = op.getRhs();
  if (isCommutative && b.constantOf(lhs)) {
    std::swap(lhs, rhs);
  }
  Shape shape = b.shapeOf(op.getResult());
  std::optional<Tensor> constant = b.constantOf(rhs);
  bool isBound = kind == graph::BinaryKind::Max || kind == graph::BinaryKind::Min;
  if (isBound && constant && constant->size() == 1 && b.shapeOf(lhs) == shape) {
    return lowerClip(op, b.operand(lhs), constant->asDouble(0), b);
  }
  std::optional<Tensor> vector =
      b.shapeOf(lhs) == shape ? perChannel(constant, shape) : std::nullopt;
  if (vector) {
    if (Value result = lowerWithVector(op, b.operand(lhs), *vector, b)) {
      return b.set(op.getResult(), result);
    }
  }
  std::optional<EltwiseKind> eltwise = eltwiseKind(kind);
  if (!eltwise) {
    return "convcore has no op for " + graph::stringifyBinaryKind(kind).str();
  }
  if (b.shapeOf(lhs) != shape || b.shapeOf(rhs) != shape) {
    return "it broadcasts an operand that does not have one element per channel";
  }
  return b.set(op.getResult(), b.eltwise(*eltwise, b.operand(lhs), b.operand(rhs)));
}

std::string lowerUnary(graph::UnaryOp op, LayerBuilder &b) {
  std::optional<ActKind> kind;
  switch (op.getKind()) {
  case graph::UnaryKind::Relu:
    kind = ActKind::Relu;
    break;
  case graph::UnaryKind::Sigmoid:
    kind = ActKind::Sigmoid;
    break;
  case graph::UnaryKind::Tanh:
    kind = ActKind::Tanh;
    break;
  default:
    return "convcore has no op for " + graph::stringifyUnaryKind(op.getKind()).str();
  }
  if (!isFloat(b.elementOf(op.getInput()))) {
    return *kind == ActKind::Relu
               ? lowerIntegerClip(op.getInput(), op.getResult(), 0, std::nullopt, b)
               : "its element type is " + name(b.elementOf(op.getInput())).str();
  }
  ActAttr activation = ActAttr::get(b.context(), *kind);
  return b.set(op.getResult(), b.activation(b.operand(op.getInput()), activation));
}

std::string lowerActivation(graph::ActivationOp op, LayerBuilder &b) {
  if (op.getKind() != graph::ActivationKind::LeakyRelu) {
    return "convcore has no op for " + graph::stringifyActivationKind(op.getKind()).str();
  }
  ActAttr leaky = ActAttr::getLeakyRelu(b.context(), op.getAlpha().convertToDouble());
  return b.set(op.getResult(), b.activation(b.operand(op.getInput()), leaky));
}

/// Returns the padding at the end that the windows of a result of this size need.
int64_t padEnd(int64_t input, int64_t result, int64_t kernel, int64_t stride, int64_t padBegin) {
  return std::max<int64_t>((result - 1) * stride + kernel - input - padBegin, 0);
}

template <typename OpT>
std::string lowerPool(OpT op, PoolKind kind, bool countIncludePad, LayerBuilder &b) {
  Shape input = b.shapeOf(op.getInput());
  Shape result = b.shapeOf(op->getResult(0));
  if (input.size() != 4) {
    return "it has " + std::to_string(input.size() - 2) +
           " spatial dimensions; convcore supports 2";
  }
  if (llvm::any_of(op.getDilations(), [](int64_t d) { return d != 1; })) {
    return "its window is dilated";
  }
  SmallVector<int64_t> pads(op.getPads());
  for (size_t i = 0; op.getCeilMode() && i < 2; ++i) {
    int64_t end =
        padEnd(input[i + 2], result[i + 2], op.getKernel()[i], op.getStrides()[i], pads[i]);
    if (countIncludePad && end > pads[i + 2]) {
      return "its last window extends beyond the padding that the mean counts";
    }
    pads[i + 2] = std::max(end, pads[i + 2]);
  }
  return b.set(op->getResult(0), b.pool(kind, b.operand(op.getInput()), op.getKernel(),
                                        op.getStrides(), pads, countIncludePad));
}

std::string lowerMaxPool(graph::MaxPoolOp op, LayerBuilder &b) {
  if (!op.getIndices().use_empty()) {
    return "its output Indices is used";
  }
  return lowerPool(op, PoolKind::Max, /*countIncludePad=*/false, b);
}

/// Lowers a mean or extremum over height and width to a global pool.
std::string lowerReduce(graph::ReduceOp op, LayerBuilder &b) {
  std::optional<PoolKind> kind;
  switch (op.getKind()) {
  case graph::ReduceKind::Mean:
    kind = PoolKind::Average;
    break;
  case graph::ReduceKind::Max:
    kind = PoolKind::Max;
    break;
  case graph::ReduceKind::Min:
    kind = PoolKind::Min;
    break;
  default:
    return "convcore has no op for a reduction by " +
           graph::stringifyReduceKind(op.getKind()).str();
  }
  std::optional<Tensor> axes = b.constantOf(op.getAxes());
  Shape input = b.shapeOf(op.getInput());
  Shape sorted = axes ? axes->ints() : Shape();
  for (int64_t &axis : sorted) {
    axis += axis < 0 ? static_cast<int64_t>(input.size()) : 0;
  }
  llvm::sort(sorted);
  bool isMean = *kind == PoolKind::Average;
  if (input.size() != 4 || sorted != Shape{2, 3} ||
      (isMean && !isFloat(b.elementOf(op.getInput())))) {
    return "it is not a reduction of the height and width of N x C x H x W";
  }
  Value pooled = b.pool(*kind, b.operand(op.getInput()), {input[2], input[3]}, {1, 1}, {0, 0, 0, 0},
                        /*countIncludePad=*/false);
  return b.set(op.getResult(), b.reshape(pooled, b.shapeOf(op.getResult())));
}

/// Combines the four parameter vectors into x * scale + bias.
std::string lowerBatchNorm(graph::BatchNormOp op, LayerBuilder &b) {
  std::optional<Tensor> scale = b.constantOf(op.getScale());
  std::optional<Tensor> bias = b.constantOf(op.getBias());
  std::optional<Tensor> mean = b.constantOf(op.getMean());
  std::optional<Tensor> variance = b.constantOf(op.getVariance());
  if (!scale || !bias || !mean || !variance || b.shapeOf(op.getInput()).size() < 2) {
    return "its parameters are not constant";
  }
  Tensor factor(scale->type(), scale->shape());
  Tensor offset(scale->type(), scale->shape());
  for (int64_t c = 0; c < factor.size(); ++c) {
    double f =
        scale->asDouble(c) / std::sqrt(variance->asDouble(c) + op.getEpsilon().convertToDouble());
    factor.setDouble(c, f);
    offset.setDouble(c, bias->asDouble(c) - mean->asDouble(c) * f);
  }
  return b.set(op.getResult(), b.scale(b.operand(op.getInput()), factor, offset));
}

std::string lowerSoftmax(graph::SoftmaxOp op, LayerBuilder &b) {
  if (op.getIsLog()) {
    return "convcore has no op for log-softmax";
  }
  return b.set(op.getResult(), b.emit<SoftmaxOp>(b.operand(op.getInput()), op.getAxis()));
}

std::string lowerLrn(graph::LRNOp op, LayerBuilder &b) {
  if (b.shapeOf(op.getInput()).size() != 4) {
    return "its input is not N x C x H x W";
  }
  return b.set(op.getResult(), b.emit<LrnOp>(b.operand(op.getInput()), op.getSize(), op.getAlpha(),
                                             op.getBeta(), op.getBias()));
}

std::string lowerConcat(graph::ConcatOp op, LayerBuilder &b) {
  SmallVector<Value> inputs;
  for (Value input : op.getInputs()) {
    inputs.push_back(b.operand(input));
  }
  return b.set(op.getResult(), b.emit<ConcatOp>(inputs, op.getAxis()));
}

std::string lowerReshape(graph::ReshapeOp op, LayerBuilder &b) {
  return b.set(op.getResult(), b.reshape(b.operand(op.getInput()), b.shapeOf(op.getResult())));
}

std::string lowerTranspose(graph::TransposeOp op, LayerBuilder &b) {
  return b.set(op.getResult(), b.emit<TransposeOp>(b.operand(op.getInput()), op.getPerm()));
}

std::string lowerCast(graph::CastOp op, LayerBuilder &b) {
  if (!isFloat(b.elementOf(op.getInput())) || !isFloat(b.elementOf(op.getResult()))) {
    return "it casts from or to a type that is not a float";
  }
  return b.set(op.getResult(), b.emit<ConvertOp>(b.operand(op.getInput()), op.getTo()));
}

/// Lowers a slice with step 1.
std::string lowerSlice(graph::SliceOp op, LayerBuilder &b) {
  Shape input = b.shapeOf(op.getInput());
  Shape sizes = b.shapeOf(op.getResult());
  std::optional<Tensor> starts = b.constantOf(op.getStarts());
  std::optional<Tensor> axes = b.constantOf(op.getAxes());
  std::optional<Tensor> steps = b.constantOf(op.getSteps());
  if (!starts || (op.getAxes() && !axes) || (op.getSteps() && !steps)) {
    return "its bounds are not constant";
  }
  Shape offsets(input.size(), 0);
  for (int64_t i = 0; i < starts->size(); ++i) {
    int64_t axis = axes ? axes->asInt(i) : i;
    axis += axis < 0 ? static_cast<int64_t>(input.size()) : 0;
    if (steps && steps->asInt(i) != 1) {
      return "its step is not 1";
    }
    int64_t start = starts->asInt(i);
    start += start < 0 ? input[axis] : 0;
    offsets[axis] = std::clamp<int64_t>(start, 0, input[axis] - sizes[axis]);
  }
  return b.set(op.getResult(), b.emit<SliceOp>(b.operand(op.getInput()), offsets, sizes));
}

std::string dispatchOp(Operation *op, LayerBuilder &b) {
  return llvm::TypeSwitch<Operation *, std::string>(op)
      .Case([&](graph::ConvOp o) { return lowerConv(o, b); })
      .Case([&](graph::MatMulOp o) { return lowerMatMul(o, b); })
      .Case([&](graph::BinaryOp o) { return lowerBinary(o, b); })
      .Case([&](graph::UnaryOp o) { return lowerUnary(o, b); })
      .Case([&](graph::ActivationOp o) { return lowerActivation(o, b); })
      .Case([&](graph::MaxPoolOp o) { return lowerMaxPool(o, b); })
      .Case([&](graph::AveragePoolOp o) {
        return lowerPool(o, PoolKind::Average, o.getCountIncludePad(), b);
      })
      .Case([&](graph::ReduceOp o) { return lowerReduce(o, b); })
      .Case([&](graph::BatchNormOp o) { return lowerBatchNorm(o, b); })
      .Case([&](graph::SoftmaxOp o) { return lowerSoftmax(o, b); })
      .Case([&](graph::LRNOp o) { return lowerLrn(o, b); })
      .Case([&](graph::ConcatOp o) { return lowerConcat(o, b); })
      .Case([&](graph::ReshapeOp o) { return lowerReshape(o, b); })
      .Case([&](graph::TransposeOp o) { return lowerTranspose(o, b); })
      .Case([&](graph::SliceOp o) { return lowerSlice(o, b); })
      .Case([&](graph::CastOp o) { return lowerCast(o, b); })
      .Default([](Operation *other) {
        return "convcore has no op for " + other->getName().stripDialect().str();
      });
}

bool isStaticTensor(Type type) {
  auto ranked = dyn_cast<RankedTensorType>(type);
  return ranked && ranked.hasStaticShape();
}

} // namespace

LogicalResult ConvCoreDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  static constexpr graph::AttributeRule kRules[] = {{kNodesAttr, graph::AttributeHolder::Op,
                                                     "an array of i64",
                                                     graph::isAttr<DenseI64ArrayAttr>}};
  return graph::verifyOpAttribute(op, attribute, kRules);
}

llvm::ArrayRef<int64_t> nodesOf(Operation *op) {
  auto nodes = op->getAttrOfType<DenseI64ArrayAttr>(kNodesAttr);
  return nodes ? nodes.asArrayRef() : llvm::ArrayRef<int64_t>();
}

void joinNodes(Operation *to, llvm::ArrayRef<Operation *> from) {
  SmallVector<int64_t> nodes(nodesOf(to));
  for (Operation *op : from) {
    llvm::append_range(nodes, nodesOf(op));
  }
  llvm::sort(nodes);
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  to->setAttr(kNodesAttr, DenseI64ArrayAttr::get(to->getContext(), nodes));
}

std::string lowerFromGraph(Operation *op, int64_t node, IRMapping &mapping, OpBuilder &builder) {
  if (!llvm::all_of(op->getOperandTypes(), isStaticTensor) ||
      !llvm::all_of(op->getResultTypes(), isStaticTensor)) {
    return "the size of an operand or result depends on data";
  }
  LayerBuilder layers(builder, op->getLoc(), node, mapping);
  std::optional<std::string> reason = lowerFromInteger(op, layers);
  return reason ? *reason : dispatchOp(op, layers);
}

} // namespace convoy::convcore
