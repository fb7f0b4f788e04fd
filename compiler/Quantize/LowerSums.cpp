// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers convolutions, matrix products and averages of quantized tensors. The bias
// becomes i32 or i64 with the scale of the sums, which is the scale of the input
// times the scale of the weights. Its type is the type of the sums ([integer_conv.3]).

#include "Quantize/LowerLayers.h"
#include "Quantize/StoredWeights.h"
#include "Quantize/SumBounds.h"
#include <cmath>

using namespace mlir;
using convoy::graph::BinaryKind;
using convoy::graph::TypedBuilder;

namespace convoy::quantize {
namespace {

constexpr llvm::StringLiteral kInput = "the input is not quantized with one constant scale";
constexpr llvm::StringLiteral kWeights =
    "the weights are not constants of at most 8 bits with scales along the output channels";

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// Returns the scales of the sums: one, or one per output channel.
SmallVector<double> stepsOf(const Quantized &input, const QuantizedWeights &weights) {
  SmallVector<double> steps;
  for (double scale : weights.scales) {
    steps.push_back(input.scale.scale * scale);
  }
  return steps;
}

/// Returns the bias as integers in the scale of the sums, none if `bias` is null.
/// Returns nullopt and sets `why` on failure.
std::optional<SmallVector<double>> integerBias(Value bias, ArrayRef<double> steps, int64_t channels,
                                               std::string &why) {
  SmallVector<double> integers;
  if (!bias) {
    return integers;
  }
  std::optional<SmallVector<double>> reals = constantReals(bias);
  if (!reals || (static_cast<int64_t>(reals->size()) != channels && reals->size() != 1)) {
    why = "the bias is not a constant vector";
    return std::nullopt;
  }
  for (int64_t c = 0; c < channels; ++c) {
    double step = steps[steps.size() == 1 ? 0 : c];
    double real = (*reals)[reals->size() == 1 ? 0 : c];
    integers.push_back(step == 0 ? 0 : std::nearbyint(real / step));
    if (!std::isfinite(integers.back())) {
      why = "the bias is not finite in the scale of the sums";
      return std::nullopt;
    }
  }
  return integers;
}

/// The operands of an integer layer.
struct Operands {
  Quantized x;
  QuantizedWeights w;
  SmallVector<Value> vectors; // bias and zero points per channel ([integer_conv.4])
  int64_t zeroPoint = 0;      // of all weights
  SmallVector<double> steps;  // scales of the sums
  int64_t sumBits = 0;
};

/// Completes the operands of a layer whose output channels are dimension `axis` of
/// the weights and whose sums have `depth` products. Returns nullopt and sets `why`
/// on failure.
std::optional<Operands> operandsOf(TypedBuilder &b, const Quantized &x, const QuantizedWeights &w,
                                   Value bias, int64_t axis, int64_t depth, std::string &why) {
  Operands operands{x, storedWeights(b, w, axis), {}, 0, stepsOf(x, w)};
  int64_t channels = shapeOf(w.value)[static_cast<size_t>(axis)];
  std::optional<SmallVector<double>> integers = integerBias(bias, operands.steps, channels, why);
  if (!integers) {
    return std::nullopt;
  }
  operands.sumBits = sumBitsOf(x, operands.w, axis, depth, *integers);
  if (operands.sumBits > kMostSumBits) {
    why = "the sums exceed " + std::to_string(kMostSumBits) +
          " bits; the bias is too large for the scales of input and weights";
    return std::nullopt;
  }
  bool isWide = operands.sumBits > 31;
  bool hasZeroPoints = operands.w.zeroPoints.size() > 1;
  if (bias || isWide || hasZeroPoints) {
    Tensor result(isWide ? ElementType::I64 : ElementType::I32, {channels});
    for (auto [c, integer] : llvm::enumerate(*integers)) {
      result.setInt(static_cast<int64_t>(c), static_cast<int64_t>(integer));
    }
    operands.vectors.push_back(b.constant(result));
  }
  if (hasZeroPoints) {
    operands.vectors.push_back(b.constant(zeroPointVector(operands.w)));
  } else {
    operands.zeroPoint = operands.w.zeroPoints.front();
  }
  return operands;
}

/// Returns the weights in the form that the target requires. No target runs 16-bit
/// inputs with shifts alone.
std::optional<QuantizedWeights> fitted(std::optional<QuantizedWeights> weights,
                                       const Quantized &input, Value bias, IntegerBuilder *fit,
                                       std::string &why) {
  if (!fit || !weights || bitsOf(input.value) > 8) {
    return weights;
  }
  std::optional<SmallVector<double>> reals = bias ? constantReals(bias) : std::nullopt;
  return fit->fit(*weights, input.scale.scale, reals ? *reals : SmallVector<double>(), why);
}

std::optional<Sums> convSums(graph::ConvOp op, Value bias, TypedBuilder &b, std::string &why,
                             IntegerBuilder *fit) {
  std::optional<Quantized> x = quantizedValue(op.getInput());
  std::optional<QuantizedWeights> w = quantizedWeights(op.getWeight());
  if (!x || !w || (w->scales.size() > 1 && w->axis != 0)) {
    why = x ? kWeights.str() : kInput.str();
    return std::nullopt;
  }
  w = fitted(w, *x, bias, fit, why);
  if (!w) {
    return std::nullopt;
  }
  int64_t depth = *elementCount(shapeOf(w->value).drop_front());
  std::optional<Operands> layer = operandsOf(b, *x, *w, bias, 0, depth, why);
  if (!layer) {
    return std::nullopt;
  }
  TypedBuilder atConv(b.builder, op.getLoc());
  Value sums = atConv.emit<graph::IntegerConvOp>(
      x->value, layer->w.value, layer->vectors, x->scale.zeroPoint, layer->zeroPoint,
      op.getStrides(), op.getPads(), op.getDilations(), static_cast<int64_t>(op.getGroups()));
  return Sums{sums, std::move(layer->steps), 1, layer->sumBits};
}

/// Returns the sums of a matrix product of an activation and weights, or of two
/// activations.
std::optional<Sums> productSums(graph::MatMulOp op, Value bias, TypedBuilder &b, std::string &why,
                                IntegerBuilder *fit) {
  std::optional<Quantized> x = quantizedValue(op.getLhs());
  std::optional<QuantizedWeights> w = quantizedWeights(op.getRhs());
  std::optional<Quantized> y = quantizedValue(op.getRhs());
  bool isNarrow = y && cast<TensorType>(y->value.getType()).getElementTypeBitWidth() == 8;
  if (x && !w && isNarrow) {
    w = QuantizedWeights{y->value, {y->scale.scale}, {y->scale.zeroPoint}, 0};
  }
  bool isPerColumn =
      w && (w->scales.size() == 1 || w->axis == static_cast<int64_t>(shapeOf(w->value).size()) - 1);
  if (!x || !isPerColumn || shapeOf(w->value).size() < 2 || shapeOf(x->value).empty()) {
    why = x ? kWeights.str() : kInput.str();
    return std::nullopt;
  }
  bool isConstant = graph::constantValue(w->value).has_value();
  w = isConstant ? fitted(w, *x, bias, fit, why) : w;
  if (!w) {
    return std::nullopt;
  }
  int64_t axis = static_cast<int64_t>(shapeOf(w->value).size()) - 1;
  std::optional<Operands> layer = operandsOf(b, *x, *w, bias, axis, shapeOf(x->value).back(), why);
  if (!layer) {
    return std::nullopt;
  }
  TypedBuilder atProduct(b.builder, op.getLoc());
  Value sums = atProduct.emit<graph::IntegerMatMulOp>(x->value, layer->w.value, layer->vectors,
                                                      x->scale.zeroPoint, layer->zeroPoint);
  return Sums{sums, std::move(layer->steps), static_cast<int64_t>(shapeOf(sums).size()) - 1,
              layer->sumBits};
}

/// A layer, and the constant that is added to it or that is its bias operand.
struct BiasedLayer {
  Operation *layer = nullptr;
  Value bias;
};

/// Returns whether a constant adds one value per index of dimension `axis` of
/// `shape`.
bool isPerIndex(Value constant, ArrayRef<int64_t> shape, int64_t axis) {
  ArrayRef<int64_t> own = shapeOf(constant);
  int64_t missing = static_cast<int64_t>(shape.size()) - static_cast<int64_t>(own.size());
  for (auto [i, dim] : llvm::enumerate(own)) {
    if (dim != 1 && static_cast<int64_t>(i) + missing != axis) {
      return false;
    }
  }
  return missing >= 0;
}

/// Returns the convolution or matrix product that defines `value`; treats `layer +
/// constant` as one layer.
BiasedLayer biasedLayer(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto conv = dyn_cast_or_null<graph::ConvOp>(op)) {
    return {op, conv.getBias()};
  }
  auto sum = dyn_cast_or_null<graph::BinaryOp>(op);
  if (!sum || sum.getKind() != BinaryKind::Add) {
    return {isa_and_nonnull<graph::MatMulOp>(op) ? op : nullptr, Value()};
  }
  for (auto [result, bias] :
       {std::pair(sum.getLhs(), sum.getRhs()), std::pair(sum.getRhs(), sum.getLhs())}) {
    Operation *layer = result.getDefiningOp();
    auto conv = dyn_cast_or_null<graph::ConvOp>(layer);
    bool isLayer = layer && (isa<graph::MatMulOp>(layer) || (conv && !conv.getBias()));
    if (isLayer && result.hasOneUse() && constantReals(bias) && shapeOf(result) == shapeOf(value)) {
      int64_t axis = conv ? 1 : static_cast<int64_t>(shapeOf(value).size()) - 1;
      return isPerIndex(bias, shapeOf(value), axis) ? BiasedLayer{layer, bias} : BiasedLayer();
    }
  }
  return {};
}

} // namespace

std::optional<Sums> sumsOf(Value value, TypedBuilder &b, std::string &why, IntegerBuilder *fit) {
  BiasedLayer found = biasedLayer(value);
  if (auto conv = dyn_cast_or_null<graph::ConvOp>(found.layer)) {
    return convSums(conv, found.bias, b, why, fit);
  }
  auto product = dyn_cast_or_null<graph::MatMulOp>(found.layer);
  return product ? productSums(product, found.bias, b, why, fit) : std::nullopt;
}

Value lowerLayer(Value value, IntegerBuilder &b, std::string &why) {
  std::optional<Sums> sums = sumsOf(value, b.graph(), why, &b);
  return sums ? b.requantize(sums->value, sums->steps, sums->axis, 0, why, sums->bits) : Value();
}

namespace {

/// Returns the window of an average over all spatial dimensions of an input.
std::optional<SmallVector<int64_t>> wholeWindow(graph::ReduceOp op) {
  std::optional<Tensor> axes = op.getAxes() ? graph::constantValue(op.getAxes()) : std::nullopt;
  ArrayRef<int64_t> shape = shapeOf(op.getInput());
  auto rank = static_cast<int64_t>(shape.size());
  if (!axes || rank < 3 || axes->size() != rank - 2) {
    return std::nullopt;
  }
  for (int64_t axis : axes->ints()) {
    if ((axis < 0 ? axis + rank : axis) < 2) {
      return std::nullopt;
    }
  }
  return SmallVector<int64_t>(shape.drop_front(2));
}

/// Returns whether the sum of a window fits i32; sets `why` otherwise.
bool fitsWindow(const Quantized &x, ArrayRef<int64_t> kernel, std::string &why) {
  std::optional<int64_t> taps = elementCount(kernel);
  bool fits = taps && *taps <= INT32_MAX / reachOf(x);
  if (!fits) {
    why = "the sums of the windows exceed 32 bits";
  }
  return fits;
}

Value lowerMean(graph::ReduceOp op, IntegerBuilder &b, std::string &why) {
  std::optional<Quantized> x = quantizedValue(op.getInput());
  std::optional<SmallVector<int64_t>> kernel = wholeWindow(op);
  if (!x || !kernel) {
    why = x ? "the average is not over exactly all spatial dimensions" : kInput.str();
    return {};
  }
  if (!fitsWindow(*x, *kernel, why)) {
    return {};
  }
  SmallVector<int64_t> ones(kernel->size(), 1);
  SmallVector<int64_t> pads(2 * kernel->size(), 0);
  TypedBuilder atMean(b.graph().builder, op.getLoc());
  int64_t origin = b.averageOrigin(*x, *kernel, /*isPadded=*/false);
  Value sums = atMean.emit<graph::IntegerSumPoolOp>(x->value, origin, *kernel, ones, pads, ones,
                                                    /*ceilMode=*/false);
  Value mean = b.average(sums, *x, *kernel, /*isPadded=*/false, why);
  return mean && !op.getKeepDims() ? b.graph().reshape(mean, shapeOf(op.getResult())) : mean;
}

} // namespace

Value lowerAverage(Value value, IntegerBuilder &b, std::string &why) {
  auto mean = value.getDefiningOp<graph::ReduceOp>();
  if (mean && mean.getKind() == graph::ReduceKind::Mean) {
    return lowerMean(mean, b, why);
  }
  auto pool = value.getDefiningOp<graph::AveragePoolOp>();
  if (!pool) {
    return {};
  }
  std::optional<Quantized> x = quantizedValue(pool.getInput());
  bool isPadded = llvm::any_of(pool.getPads(), [](int64_t pad) { return pad != 0; });
  bool isEven = !pool.getCeilMode() && (!isPadded || pool.getCountIncludePad());
  if (!x || !isEven) {
    why = x ? "the windows contain different numbers of elements" : kInput.str();
    return {};
  }
  if (!fitsWindow(*x, pool.getKernel(), why)) {
    return {};
  }
  TypedBuilder atPool(b.graph().builder, pool.getLoc());
  int64_t origin = b.averageOrigin(*x, pool.getKernel(), isPadded);
  Value sums =
      atPool.emit<graph::IntegerSumPoolOp>(x->value, origin, pool.getKernel(), pool.getStrides(),
                                           pool.getPads(), pool.getDilations(), /*ceilMode=*/false);
  return b.average(sums, *x, pool.getKernel(), isPadded, why);
}

} // namespace convoy::quantize
