// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the parameters of a convolution and builds its graph. The number of products of a layer
// is bounded, because the reference evaluates each graph six times.

#include "tests/differential/ConvolutionGraph.h"
#include "Graph/Attributes.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace convoy::test {

// The most products of one layer.
constexpr int64_t kMostProducts = 150'000;
// Typical magnitudes of 8-bit inputs and weights without their zero points.
constexpr double kUsual = 80;

ModuleOp ConvolutionGraph::make(bool hasSpecials) {
  do {
    choose();
  } while (products(input, channels, window, isTransposed) > kMostProducts);
  inputs = {isFloat(type) ? randomTensor(random, type, input) : randomBytes(type, input)};
  for (int64_t i = hasSpecials && isFloat(type) ? random.between(1, 3) : 0; i > 0; --i) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const double specials[] = {kInfinity, -kInfinity, std::nan("")};
    inputs[0].setDouble(random.between(0, inputs[0].size() - 1), random.pick(specials));
  }
  return SeededGraph::make(input, [&](Value x) { return body(x); }, type);
}

void ConvolutionGraph::choose() {
  form = random.chance(0.6) ? Form::Float : Form(random.between(1, 3));
  static constexpr ElementType kFloats[] = {ElementType::F32, ElementType::F32, ElementType::F32,
                                            ElementType::F32, ElementType::F16, ElementType::BF16};
  type = form == Form::Float ? random.pick(kFloats) : byteType();
  isTransposed = random.chance(form == Form::Float ? 0.45 : 0.2) &&
                 (form == Form::Float || form == Form::Dequantized);
  hasIntegerForm = (form == Form::Rescaled || form == Form::Dequantized) && random.chance(0.7);
  hasComputedWeights = form == Form::Float && random.chance(0.15);
  channels = randomChannels();
  int64_t rank = random.chance(0.4) ? 2 : random.chance(0.4) ? 1 : 3;
  input = {random.chance(0.6) ? 1 : random.between(2, 3), channels.groups * channels.inputs};
  for (int64_t i = 0; i < rank; ++i) {
    input.push_back(random.between(1, rank == 1 ? 40 : rank == 2 ? 14 : 7));
  }
  window = isTransposed ? randomTransposed(ArrayRef(input).drop_front(2))
                        : randomWindow(ArrayRef(input).drop_front(2));
}

/// Returns all channels in one group, one channel per group with one or more outputs, or groups of
/// several channels. Some numbers fill whole vectors.
ConvolutionGraph::Channels ConvolutionGraph::randomChannels() {
  auto some = [&] {
    return random.chance(0.35) ? 16 * random.between(1, 3) : random.between(1, 20);
  };
  switch (random.between(0, 5)) {
  case 0:
    return {some(), 1, 1};
  case 1:
    return {random.between(2, 20), 1, random.between(2, 4)};
  case 2:
    return {random.between(2, 5), random.between(1, 6), random.between(1, 6)};
  case 3:
    return {random.between(2, 4), random.chance(0.5) ? 16 : random.between(1, 10),
            random.chance(0.5) ? 16 : random.between(1, 10)};
  default:
    return {1, some(), some()};
  }
}

ConvolutionGraph::Window ConvolutionGraph::randomWindow(ArrayRef<int64_t> sizes) {
  Window result;
  bool isPointwise = random.chance(0.1), hasStrides = random.chance(0.4);
  for (int64_t size : sizes) {
    int64_t most = sizes.size() == 1 ? 9 : sizes.size() == 2 ? 6 : 4;
    int64_t kernel = isPointwise || random.chance(0.2) ? 1 : random.between(1, most);
    int64_t dilation = random.chance(0.25) ? random.between(2, 3) : 1;
    int64_t reach = (kernel - 1) * dilation;
    // Some windows lie in the padding, and some pads remove inputs.
    int64_t begin = random.chance(0.3) ? 0 : random.between(0, reach + random.between(0, 1));
    begin = random.chance(0.04) && size > 1 ? -1 : begin;
    int64_t end = random.chance(0.04) ? -1 : random.between(0, reach + random.between(0, 1));
    result.kernel.push_back(kernel);
    result.strides.push_back(hasStrides ? random.between(1, 4) : 1);
    result.dilations.push_back(dilation);
    result.begins.push_back(begin);
    result.ends.push_back(std::max(reach + 1 - size - begin, end));
  }
  return result;
}

ConvolutionGraph::Window ConvolutionGraph::randomTransposed(ArrayRef<int64_t> sizes) {
  Window result;
  for (int64_t size : sizes) {
    int64_t kernel = random.between(1, sizes.size() == 3 ? 4 : 7);
    // With a stride above the kernel, a phase has no tap; also if the dilation shares a divisor.
    int64_t most = random.chance(0.8) ? std::min<int64_t>(kernel, 4) : 5;
    int64_t stride = random.chance(0.2) ? 1 : random.between(std::min<int64_t>(2, most), most);
    int64_t dilation = random.chance(0.15) ? random.between(2, 3) : 1;
    int64_t extra = random.chance(0.5) ? 0 : random.between(0, std::max(stride, dilation) - 1);
    int64_t reach = (kernel - 1) * dilation;
    int64_t full = stride * (size - 1) + reach + 1 + extra;
    int64_t begin = random.chance(0.3) ? 0 : random.between(0, std::min(reach + 1, full - 1));
    result.kernel.push_back(kernel);
    result.strides.push_back(stride);
    result.dilations.push_back(dilation);
    result.extras.push_back(extra);
    result.begins.push_back(begin);
    result.ends.push_back(random.between(0, std::min(reach + 1, full - 1 - begin)));
  }
  return result;
}

/// Returns the number of products, with those of taps in the padding.
int64_t ConvolutionGraph::products(ArrayRef<int64_t> input, const Channels &channels,
                                   const Window &window, bool isTransposed) {
  int64_t count = input[0] * channels.groups * channels.inputs * channels.outputs;
  for (size_t i = 0; i < window.kernel.size(); ++i) {
    int64_t reach = (window.kernel[i] - 1) * window.dilations[i];
    int64_t padded = input[i + 2] + window.begins[i] + window.ends[i];
    int64_t positions = isTransposed ? input[i + 2] : (padded - reach - 1) / window.strides[i] + 1;
    count *= positions * window.kernel[i];
  }
  return count;
}

/// Returns a constant of the type of the graph.
Value ConvolutionGraph::operand(ArrayRef<int64_t> shape) {
  return b.constant(randomTensor(random, type, shape));
}

Shape ConvolutionGraph::weightShape() const {
  Shape shape = {channels.groups * channels.outputs, channels.inputs};
  if (isTransposed) {
    shape = {channels.groups * channels.inputs, channels.outputs};
  }
  shape.append(window.kernel);
  return shape;
}

/// Returns constant weights, or weights that are computed from a second input.
Value ConvolutionGraph::weights(ArrayRef<int64_t> shape) {
  if (!hasComputedWeights) {
    return operand(shape);
  }
  Type tensor = RankedTensorType::get(shape, toMlir(type, builder.getContext()));
  function.insertArgument(function.getNumArguments(), tensor, {}, loc);
  graph::setArgumentName(function, function.getNumArguments() - 1, "w");
  inputs.push_back(randomTensor(random, type, shape));
  Value last = function.getArguments().back();
  return random.chance(0.5) ? last : b.unary(graph::UnaryKind::Tanh, last);
}

Value ConvolutionGraph::body(Value x) {
  switch (form) {
  case Form::Float:
    return floatLayer(x);
  case Form::Sums: {
    Value y = sums(x, /*hasBias=*/false);
    // The scale of dynamically quantized models.
    return random.chance(0.5) ? y : b.mul(b.cast(y, ElementType::F32), number(0.001));
  }
  case Form::Rescaled:
    return rescaled(sums(x, random.chance(0.5)));
  case Form::Dequantized:
    return dequantized(x);
  }
  llvm_unreachable("a form has no layer");
}

Value ConvolutionGraph::layer(Value x, Value weight, Value bias) {
  Shape pads = window.begins;
  pads.append(window.ends);
  if (isTransposed) {
    return b.emit<graph::ConvTransposeOp>(x, weight, bias, window.strides, pads, window.dilations,
                                          window.extras, channels.groups);
  }
  return b.emit<graph::ConvOp>(x, weight, bias, window.strides, pads, window.dilations,
                               channels.groups);
}

Value ConvolutionGraph::floatLayer(Value x) {
  int64_t outputs = channels.groups * channels.outputs;
  Value weight = weights(weightShape());
  return behind(layer(x, weight, random.chance(0.5) ? operand({outputs}) : Value()));
}

Value ConvolutionGraph::behind(Value y) {
  if (random.chance(0.25)) {
    y = elementwise(y);
  }
  switch (random.between(0, 9)) {
  case 0:
  case 1:
    return second(y);
  case 2:
    return pool(y);
  case 3:
    return second(pool(y));
  case 4:
    return second(gate(y));
  case 5:
  case 6:
    return elementwise(y);
  default:
    return y;
  }
}

Value ConvolutionGraph::elementwise(Value y) {
  Shape shape = shapeOf(y);
  Shape vector(shape.size() - 1, 1);
  vector[0] = shape[1];
  switch (random.between(0, 5)) {
  case 0:
    return b.unary(graph::UnaryKind::Relu, y);
  case 1:
    return b.mul(y, b.unary(graph::UnaryKind::Sigmoid, y));
  case 2:
    return b.add(b.unary(graph::UnaryKind::Tanh, y), operand(shape));
  case 3:
    return b.unary(graph::UnaryKind::Relu, b.mul(y, operand(vector)));
  case 4:
    return b.mul(operand(vector), b.add(y, operand({})));
  default:
    vector.insert(vector.begin(), 1);
    return b.add(b.mul(y, operand(vector)), operand(shape));
  }
}

Value ConvolutionGraph::pool(Value y) {
  Shape kernel, strides, dilations, begins, ends;
  for (int64_t size : ArrayRef(shapeOf(y)).drop_front(2)) {
    kernel.push_back(std::min(size, random.between(1, 3)));
    strides.push_back(random.between(1, 3));
    dilations.push_back(1);
    begins.push_back(random.between(0, kernel.back() - 1));
    ends.push_back(random.between(0, kernel.back() - 1));
  }
  bool hasCeiling = random.chance(0.2);
  begins.append(ends);
  if (random.chance(0.5)) {
    return b.emit<graph::AveragePoolOp>(y, kernel, strides, begins, dilations, hasCeiling,
                                        /*countIncludePad=*/random.chance(0.5));
  }
  Operation *op = b.infer(builder.create<graph::MaxPoolOp>(
      loc, TypeRange{b.placeholder(), b.placeholder()}, y, kernel, strides, begins, dilations,
      hasCeiling, /*columnMajor=*/false));
  return op->getResult(0);
}

/// Adds a second convolution, over all channels or depthwise.
Value ConvolutionGraph::second(Value y) {
  Shape shape = shapeOf(y);
  ArrayRef<int64_t> sizes = ArrayRef(shape).drop_front(2);
  bool isDepthwise = random.chance(0.3);
  Channels own = {1, shape[1], random.between(1, 20)};
  if (isDepthwise) {
    own = {shape[1], 1, 1};
  }
  Window around = randomWindow(sizes);
  if (products(shape, own, around, /*isTransposed=*/false) > kMostProducts) {
    Shape one(sizes.size(), 1), none(sizes.size(), 0);
    around = {one, one, one, none, none, none};
  }
  Shape weight = {own.groups * own.outputs, own.inputs};
  weight.append(around.kernel);
  around.begins.append(around.ends);
  Value bias = random.chance(0.3) ? operand({weight[0]}) : Value();
  return b.emit<graph::ConvOp>(y, operand(weight), bias, around.strides, around.begins,
                               around.dilations, own.groups);
}

/// Multiplies with a function of the mean of each channel.
Value ConvolutionGraph::gate(Value y) {
  SmallVector<int64_t> axes;
  for (size_t i = 2; i < shapeOf(y).size(); ++i) {
    axes.push_back(static_cast<int64_t>(i));
  }
  graph::ReduceKind kind = random.chance(0.7) ? graph::ReduceKind::Mean : graph::ReduceKind::Max;
  return b.mul(y, b.unary(graph::UnaryKind::Sigmoid, b.reduce(kind, y, axes)));
}

static int64_t lowest(ElementType byte) { return byte == ElementType::I8 ? -128 : 0; }

/// Returns an end of the range, its middle, or any number.
int64_t ConvolutionGraph::anyByte(ElementType byte) {
  const int64_t usual[] = {0, 128, 255};
  return lowest(byte) + (random.chance(0.6) ? random.pick(usual) : random.between(0, 255));
}

Tensor ConvolutionGraph::randomBytes(ElementType byte, ArrayRef<int64_t> shape) {
  return randomInts(random, byte, shape, lowest(byte), lowest(byte) + 255);
}

/// Returns a scalar if `count` is 0.
Tensor ConvolutionGraph::randomScales(double scale, int64_t count) {
  Tensor scales(ElementType::F32, count == 0 ? Shape() : Shape{count});
  for (int64_t i = 0; i < scales.size(); ++i) {
    scales.setDouble(i, scale * (0.7 + 0.6 * random.unit()));
  }
  return scales;
}

Value ConvolutionGraph::sums(Value x, bool hasBias) {
  auto centered = [&](Value value, int64_t zero) {
    return b.sub(b.cast(value, ElementType::I32),
                 b.constant(Tensor::scalar(ElementType::I32, zero)));
  };
  Value data = centered(x, anyByte(type));
  ElementType byte = byteType();
  Value weight = centered(b.constant(randomBytes(byte, weightShape())),
                          random.chance(0.5) ? lowest(byte) + 128 : anyByte(byte));
  int64_t outputs = channels.groups * channels.outputs;
  Value bias = hasBias ? b.constant(randomInts(random, ElementType::I32, {outputs}, -20000, 20000))
                       : Value();
  return layer(data, weight, bias);
}

Value ConvolutionGraph::rescaled(Value sums) {
  Shape shape = shapeOf(sums);
  auto taps = static_cast<double>(*elementCount(ArrayRef(weightShape()).drop_front(1)));
  Tensor multipliers =
      randomScales(1 / (kUsual * std::sqrt(taps)), random.chance(0.5) ? shape[1] : 0);
  if (multipliers.rank() == 1) {
    Shape vector(shape.size() - 1, 1);
    vector[0] = shape[1];
    multipliers = multipliers.reshaped(vector);
  }
  Value scaled = b.mul(b.cast(sums, ElementType::F32), b.constant(multipliers));
  ElementType to = byteType();
  return b.emit<graph::QuantizeLinearOp>(scaled, number(1),
                                         b.constant(Tensor::scalar(to, anyByte(to))),
                                         toMlir(to, builder.getContext()), int64_t(0), int64_t(0),
                                         /*saturate=*/true);
}

Value ConvolutionGraph::dequantized(Value x) {
  constexpr double kInputScale = 0.02, kWeightScale = 0.01;
  auto real = [&](Value ints, const Tensor &scale, int64_t zero, int64_t axis) {
    ElementType byte = b.element(ints);
    Tensor zeros(byte, scale.shape());
    for (int64_t i = 0; i < zeros.size(); ++i) {
      zeros.setInt(i, zero);
    }
    return b.emit<graph::DequantizeLinearOp>(ints, b.constant(scale), b.constant(zeros),
                                             builder.getF32Type(), axis, int64_t(0));
  };
  Shape shape = weightShape();
  ElementType byte = random.chance(0.8) ? ElementType::I8 : ElementType::U8;
  Tensor data = randomBytes(byte, shape);
  int64_t axis = isTransposed ? 1 : 0;
  Tensor scales = randomScales(kWeightScale, random.chance(0.5) ? shape[axis] : 0);
  Value input = real(x, randomScales(kInputScale, 0), anyByte(type), 0);
  Value weight =
      real(b.constant(data), scales, random.chance(0.7) ? lowest(byte) + 128 : anyByte(byte), axis);
  int64_t outputs = channels.groups * channels.outputs;
  Value y = layer(input, weight, random.chance(0.5) ? constant({outputs}) : Value());
  y = random.chance(0.4) ? b.unary(graph::UnaryKind::Relu, y) : y;
  auto taps = static_cast<double>(*elementCount(ArrayRef(shape).drop_front(1)));
  Tensor scale = randomScales(kInputScale * kWeightScale * kUsual * std::sqrt(taps), 0);
  ElementType to = byteType();
  return b.emit<graph::QuantizeLinearOp>(y, b.constant(scale),
                                         b.constant(Tensor::scalar(to, anyByte(to))),
                                         toMlir(to, builder.getContext()), int64_t(1), int64_t(0),
                                         /*saturate=*/true);
}

} // namespace convoy::test
