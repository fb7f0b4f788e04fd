// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generates the layers of a random function.

#include "LayerGraph.h"
#include "Graph/Graph.h"

using namespace mlir;

namespace convoy::bm1880 {

LayerGraph::LayerGraph(MLIRContext *context, uint32_t seed)
    : random(seed), module(ModuleOp::create(UnknownLoc::get(context))), builder(context),
      layers(builder, UnknownLoc::get(context), 0, mapping) {
  builder.setInsertionPointToEnd(module->getBody());
}

convcore::RequantAttr LayerGraph::requant(int64_t multiplier, int64_t shift, bool hasRelu) {
  return convcore::RequantAttr::get(builder.getContext(), builder.getI8Type(), {multiplier},
                                    {shift}, 0, hasRelu ? 0 : -128, 127,
                                    convcore::Rounding::HalfUp);
}

Tensor LayerGraph::numbers(ElementType type, ArrayRef<int64_t> shape, int64_t most) {
  Tensor tensor(type, shape);
  for (int64_t i = 0; i < tensor.size(); ++i) {
    tensor.setInt(i, between(-most, most));
  }
  return tensor;
}

func::FuncOp LayerGraph::make() {
  int64_t side = between(0, 3) == 0 ? between(40, 70) : between(1, 20);
  Shape shape = {between(0, 4) == 0 ? 2 : 1, between(1, 70), side, between(1, side)};
  auto type = RankedTensorType::get(shape, builder.getI8Type());
  auto function =
      builder.create<func::FuncOp>(module->getLoc(), "layers", builder.getFunctionType({type}, {}));
  Block *block = function.addEntryBlock();
  builder.setInsertionPointToEnd(block);
  Value x = block->getArgument(0);
  int64_t count = between(2, 7);
  SmallVector<Value> results;
  for (int64_t i = 0; i < count; ++i) {
    x = layer(x);
    if (between(0, 5) == 0) {
      results.push_back(x); // an intermediate value that is also a result
    }
  }
  results.push_back(between(0, 2) == 0 ? classify(x) : x);
  builder.create<func::ReturnOp>(module->getLoc(), results);
  function.setType(
      builder.getFunctionType(block->getArgumentTypes(), ValueRange(results).getTypes()));
  return function;
}

Value LayerGraph::layer(Value x) {
  Shape shape = shapeOf(x);
  switch (between(0, 11)) {
  case 0:
  case 1:
  case 2:
    return conv(x, between(1, 70), between(0, 2) == 0 ? 1 : 3, between(0, 1) == 0);
  case 3:
    return add(x, conv(x, shape[1], 3, /*keepsSize=*/true));
  case 4:
    return pool(x);
  case 5: {
    Value y = conv(x, between(1, 40), 1, /*keepsSize=*/true);
    return layers.emit<convcore::ConcatOp>(SmallVector<Value>{x, rescale(y, false)}, /*axis=*/1);
  }
  case 6: {
    Shape offsets(4, 0);
    Shape sizes = shape;
    size_t axis = static_cast<size_t>(between(1, 3));
    sizes[axis] = between(1, shape[axis]);
    offsets[axis] = between(0, shape[axis] - sizes[axis]);
    return layers.emit<convcore::SliceOp>(x, offsets, sizes);
  }
  case 7:
    return rescale(x, /*hasRelu=*/true);
  case 8: {
    SmallVector<int64_t> order = {0, 1, 2, 3};
    std::shuffle(order.begin() + 1, order.end(), random);
    return layers.emit<convcore::TransposeOp>(x, order);
  }
  case 9: {
    Value y = conv(x, shape[1], 1, /*keepsSize=*/true);
    return layers.emit<convcore::EltwiseOp>(x, y, convcore::EltwiseKind::Mul, 0, 0, 1, 1,
                                            convcore::ActAttr(),
                                            requant(between(1, 255), between(5, 14), false));
  }
  case 10:
    return normalization(x);
  default:
    return layers.emit<convcore::CopyOp>(x);
  }
}

/// Adds a convolution with one group, several groups or depthwise, with pads that may differ per
/// side.
Value LayerGraph::conv(Value x, int64_t outputs, int64_t kernel, bool keepsSize) {
  Shape shape = shapeOf(x);
  int64_t groups = 1;
  int64_t kind = between(0, 5);
  if (kind == 0) {
    groups = shape[1];
    outputs = keepsSize && outputs == shape[1] ? outputs : shape[1] * between(1, 2);
  } else if (kind == 1 && shape[1] % 2 == 0 && outputs % 2 == 0) {
    groups = 2;
  }
  if (keepsSize && outputs % groups != 0) {
    groups = 1;
  }
  int64_t dilation = kernel > 1 && between(0, 5) == 0 ? 2 : 1;
  int64_t reach = (kernel - 1) * dilation;
  SmallVector<int64_t> pads(4, reach / 2);
  int64_t stride = keepsSize ? 1 : between(1, 2);
  if (!keepsSize) {
    // Like TensorFlow with strides: more padding at the end than at the start.
    int64_t extra = dilation * between(0, 1);
    pads[2] += extra;
    pads[3] += extra;
  }
  int64_t strides[] = {stride, stride};
  int64_t dilations[] = {dilation, dilation};
  Value weight =
      layers.constant(numbers(ElementType::I8, {outputs, shape[1] / groups, kernel, kernel}, 127));
  Value bias =
      between(0, 3) == 0 ? Value() : layers.constant(numbers(ElementType::I32, {outputs}, 32767));
  return layers.emit<convcore::ConvOp>(x, weight, bias, strides, pads, dilations, groups, 0, 0,
                                       convcore::ActAttr(),
                                       requant(4, between(7, 15), between(0, 1) == 0));
}

Value LayerGraph::pool(Value x) {
  Shape shape = shapeOf(x);
  int64_t size = std::min({between(2, 4), shape[2], shape[3]});
  int64_t kernel[] = {size, size};
  int64_t strides[] = {between(1, 3), between(1, 3)};
  int64_t pad = size > 1 ? between(0, 1) : 0;
  int64_t pads[] = {pad, pad, pad, pad};
  bool isMean = between(0, 1) == 0;
  return layers.pool(isMean ? convcore::PoolKind::Average : convcore::PoolKind::Max, x, kernel,
                     strides, pads, /*countIncludePad=*/isMean, 0,
                     isMean ? requant(between(1, 255), between(3, 12), between(0, 3) == 0)
                            : convcore::RequantAttr());
}

Value LayerGraph::normalization(Value x) {
  auto table = [&] {
    Tensor bytes(ElementType::U8, {256});
    for (int64_t i = 0; i < bytes.size(); ++i) {
      bytes.setInt(i, between(0, 255));
    }
    return layers.constant(bytes);
  };
  Value squares = table();
  Value factors = table();
  return layers.emit<convcore::ByteLrnOp>(
      x, squares, factors, between(1, 9), between(1, 255), between(1, 10),
      requant(between(1, 255), between(5, 14), between(0, 1) == 0));
}

Value LayerGraph::add(Value x, Value y) {
  return layers.emit<convcore::EltwiseOp>(x, y, convcore::EltwiseKind::Add, 0, 0, between(1, 255),
                                          between(1, 255), convcore::ActAttr(),
                                          requant(1, between(5, 10), between(0, 1) == 0));
}

Value LayerGraph::rescale(Value x, bool hasRelu) {
  return layers.emit<convcore::RequantizeOp>(
      x, 0,
      hasRelu && between(0, 1) == 0 ? requant(2, 1, true)
                                    : requant(between(1, 255), between(4, 9), hasRelu));
}

/// Adds a global average pool, a flatten and a fully connected layer.
Value LayerGraph::classify(Value x) {
  Shape shape = shapeOf(x);
  if (shape[2] * shape[3] > 2000) {
    return x;
  }
  int64_t ones[] = {1, 1};
  int64_t pads[] = {0, 0, 0, 0};
  Value weight = layers.constant(numbers(ElementType::I8, {10, shape[1], shape[2], shape[3]}, 127));
  Value bias = layers.constant(numbers(ElementType::I32, {10}, 32767));
  Value y = layers.emit<convcore::ConvOp>(x, weight, bias, ArrayRef<int64_t>(ones),
                                          ArrayRef<int64_t>(pads), ArrayRef<int64_t>(ones), 1, 0, 0,
                                          convcore::ActAttr(), requant(1, between(8, 14), false));
  return layers.reshape(y, {shape[0], 10});
}

} // namespace convoy::bm1880
