// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generates the layers. The scale of each layer follows the magnitude of its values, because
// results that all saturate or are all zero would test nothing.

#include "tests/differential/QuantizedGraph.h"
#include <cmath>

using namespace mlir;

namespace convoy::test {

// Typical magnitudes: about 60 for activations and about 10 for weights.
constexpr double kUsual = 60;
constexpr double kUsualWeight = 10;

ModuleOp QuantizedGraph::make() {
  Shape input = {1, random.between(1, 6), random.between(6, 20), random.between(6, 20)};
  return SeededGraph::make(input, [&](Value x) {
    Layer now = settle(x, 1.0 / 64); // a power of two, so division is exact
    int64_t layers = random.between(2, 8);
    for (int64_t i = 0; i < layers; ++i) {
      now = layer(now);
    }
    if (random.chance(0.3)) {
      classify(now);
    }
    return integers;
  });
}

QuantizedGraph::Layer QuantizedGraph::settle(Value x, double scale) {
  // Does not consume a random number if there are no int16 values, so that seeds keep their graphs.
  bool isWide = wideShare > 0 && random.chance(wideShare);
  ElementType type = isWide ? ElementType::I16 : ElementType::I8;
  Value zero = zeroPoint(!isWide && random.chance(0.5) ? random.between(-12, 12) : 0, type);
  Value step = number(isWide ? scale / 256 : scale);
  integers = b.emit<graph::QuantizeLinearOp>(x, step, zero, toMlir(type, builder.getContext()),
                                             int64_t(1), int64_t(0), true);
  return {b.emit<graph::DequantizeLinearOp>(integers, step, zero, builder.getF32Type(), int64_t(1),
                                            int64_t(0)),
          scale, isWide};
}

Value QuantizedGraph::weights(ArrayRef<int64_t> shape, double scale, ElementType type) {
  Tensor tensor(type, shape);
  // 4-bit weights have the usual magnitude of 8-bit weights if their scale is 5 times larger.
  bool isNarrow = type == ElementType::I4;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    tensor.setInt(i, isNarrow ? random.between(-8, 7) : random.between(-20, 20));
  }
  return b.emit<graph::DequantizeLinearOp>(b.constant(tensor), number(isNarrow ? 5 * scale : scale),
                                           zeroPoint(0, type), builder.getF32Type(), int64_t(0),
                                           int64_t(0));
}

ElementType QuantizedGraph::weightType() {
  return narrowShare > 0 && random.chance(narrowShare) ? ElementType::I4 : ElementType::I8;
}

QuantizedGraph::Layer QuantizedGraph::layer(Layer x) {
  switch (random.between(0, 11)) {
  case 0:
  case 1:
  case 2:
    return conv(x, random.between(1, 12));
  case 3:
    return settle(b.unary(graph::UnaryKind::Relu, x.value), x.scale * 0.8);
  case 4:
  case 5:
    return branch(x);
  case 6:
    return pool(x);
  case 7: // one number per channel
    return settle(b.add(x.value, weights({1, shapeOf(x.value)[1], 1, 1}, x.scale * 2)),
                  x.scale * 1.2);
  case 8: // a table, which requires 8 bits
    return x.isWide ? pool(x) : settle(b.unary(graph::UnaryKind::Sigmoid, x.value), 1.0 / 256);
  case 9:
    return hasNormalizations && !x.isWide ? normalize(x) : largest(x);
  case 10:
    return largest(x);
  default: // devices without a transpose continue in a second region
    return settle(b.transpose(x.value, {0, 1, 3, 2}), x.scale);
  }
}

/// Adds a convolution that keeps height and width.
QuantizedGraph::Layer QuantizedGraph::conv(Layer x, int64_t outputs) {
  int64_t channels = shapeOf(x.value)[1];
  int64_t dilation = random.chance(0.2) ? random.between(2, 3) : 1;
  int64_t kernel = random.chance(0.3) ? 1 : random.chance(0.3) ? 5 : 3;
  int64_t groups = random.chance(0.3) ? channels : 1;
  outputs = groups == 1 ? outputs : channels;
  int64_t reach = (kernel - 1) * dilation / 2;
  int64_t one[] = {1, 1};
  int64_t dilations[] = {dilation, dilation};
  int64_t pads[] = {reach, reach, reach, reach};
  constexpr double kWeightScale = 0.02;
  Value weight = weights({outputs, channels / groups, kernel, kernel}, kWeightScale, weightType());
  int64_t products = channels / groups * kernel * kernel;
  auto taps = static_cast<double>(products);
  double scale = x.scale * kWeightScale * kUsualWeight * std::sqrt(taps);
  return settle(b.emit<graph::ConvOp>(x.value, weight, Value(), one, pads, dilations, groups),
                scale);
}

QuantizedGraph::Layer QuantizedGraph::pool(Layer x) {
  Shape shape = shapeOf(x.value);
  int64_t size = std::min({random.between(2, 5), shape[2], shape[3]});
  int64_t kernel[] = {size, size};
  int64_t stride = random.between(1, 2);
  int64_t strides[] = {stride, stride};
  int64_t pads[] = {0, 0, 0, 0};
  int64_t dilations[] = {1, 1};
  return settle(b.emit<graph::AveragePoolOp>(x.value, kernel, strides, pads, dilations,
                                             /*ceilMode=*/false, /*countIncludePad=*/false),
                x.scale * 0.7);
}

/// Adds a max pool; its result has the scale of `x`.
QuantizedGraph::Layer QuantizedGraph::largest(Layer x) {
  Shape shape = shapeOf(x.value);
  int64_t size = std::min({random.between(2, 3), shape[2], shape[3]});
  int64_t kernel[] = {size, size};
  int64_t stride = random.between(1, 2);
  int64_t strides[] = {stride, stride};
  int64_t pad = random.between(0, size / 2);
  int64_t pads[] = {pad, pad, pad, pad};
  int64_t dilations[] = {1, 1};
  Operation *pool = b.infer(builder.create<graph::MaxPoolOp>(
      loc, b.placeholder(), b.placeholder(), x.value, kernel, strides, pads, dilations,
      /*ceilMode=*/false, /*columnMajor=*/false));
  return settle(pool->getResult(0), x.scale);
}

/// Normalizes over neighboring channels, with factors from 1 down to about 0.5.
QuantizedGraph::Layer QuantizedGraph::normalize(Layer x) {
  int64_t size = random.chance(0.9) ? 2 * random.between(1, 4) + 1 : 4; // no device supports 4
  double alpha = 1 / (x.scale * x.scale * kUsual * kUsual);
  Value y = b.emit<graph::LRNOp>(x.value, size, llvm::APFloat(alpha), llvm::APFloat(0.75),
                                 llvm::APFloat(1.0));
  return settle(y, x.scale * 0.7);
}

/// Adds a convolution of `x` and joins its result with `x`.
QuantizedGraph::Layer QuantizedGraph::branch(Layer x) {
  bool isJoined = random.chance(0.3);
  Layer other = conv(x, isJoined ? random.between(1, 5) : shapeOf(x.value)[1]);
  if (isJoined) {
    return settle(b.concat({x.value, other.value}, 1), std::max(x.scale, other.scale));
  }
  bool hasShape = shapeOf(other.value) == shapeOf(x.value);
  if (hasShape && random.chance(0.3)) {
    return settle(b.mul(x.value, other.value), x.scale * other.scale * kUsual);
  }
  return hasShape ? settle(b.add(x.value, other.value), x.scale + other.scale) : other;
}

/// Adds a global average pool and a fully connected layer.
QuantizedGraph::Layer QuantizedGraph::classify(Layer x) {
  Layer mean = settle(b.reduce(graph::ReduceKind::Mean, x.value, {2, 3}), x.scale * 0.5);
  int64_t channels = shapeOf(x.value)[1];
  constexpr double kWeightScale = 0.02;
  Value product = b.matmul(b.reshape(mean.value, {1, channels}),
                           weights({channels, 5}, kWeightScale, weightType()));
  return settle(product, mean.scale * kWeightScale * kUsualWeight *
                             std::sqrt(static_cast<double>(channels)));
}

} // namespace convoy::test
