// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makers of the ops in Reduction.td, softmax and quantization.

#include "tests/differential/GraphMaker.h"

using namespace mlir;

namespace convoy::test {
namespace {

using graph::ReduceKind;

bool makeReduce(GraphMaker &m) {
  auto kind = static_cast<ReduceKind>(m.random.between(0, 9));
  Value x = m.number();
  Shape axes;
  int64_t rank = static_cast<int64_t>(m.shapeOf(x).size());
  for (int64_t i = 0; i < rank; ++i) {
    if (m.random.chance(0.5)) {
      axes.push_back(m.random.chance(0.3) ? i - rank : i);
    }
  }
  Value axesValue = axes.empty() && m.random.chance(0.5) ? Value() : m.ints(axes);
  return m.add<graph::ReduceOp>(kind, x, axesValue, m.random.chance(0.5), m.random.chance(0.5));
}

bool makeArgReduce(GraphMaker &m) {
  Value x = m.sharp(m.number(1, 4));
  int64_t axis = m.random.between(0, m.shapeOf(x).size() - 1);
  if (m.shapeOf(x)[axis] == 0) {
    return false;
  }
  return m.add<graph::ArgReduceOp>(x, axis, m.random.chance(0.5), m.random.chance(0.5),
                                   m.random.chance(0.5));
}

bool makeCumulative(GraphMaker &m) {
  Value x = m.number(1, 4);
  auto kind = static_cast<graph::CumulativeKind>(m.random.between(0, 1));
  int64_t rank = static_cast<int64_t>(m.shapeOf(x).size());
  Value axis = m.constant(Tensor::scalar(ElementType::I64, m.random.between(-rank, rank - 1)));
  return m.add<graph::CumulativeOp>(kind, x, axis, m.random.chance(0.5), m.random.chance(0.5));
}

bool makeSoftmax(GraphMaker &m) {
  Value x = m.floats(1);
  return m.add<graph::SoftmaxOp>(x, m.random.between(0, m.shapeOf(x).size() - 1),
                                 m.random.chance(0.3));
}

/// Returns the shape of the scale and zero point: per tensor, per axis or per block.
Shape scaleShape(GraphMaker &m, ArrayRef<int64_t> shape, int64_t axis, int64_t &blockSize) {
  blockSize = 0;
  if (shape.empty() || m.random.chance(0.5)) {
    return {};
  }
  if (m.random.chance(0.7)) {
    return {shape[axis]};
  }
  blockSize = m.random.between(1, std::max<int64_t>(shape[axis], 1));
  Shape result(shape);
  result[axis] = (shape[axis] + blockSize - 1) / blockSize;
  return result;
}

bool makeQuantize(GraphMaker &m) {
  Value x = m.sharp(m.floats());
  Shape shape = m.shapeOf(x);
  int64_t axis = shape.empty() ? 0 : m.random.between(0, shape.size() - 1);
  int64_t blockSize = 0;
  Shape scales = scaleShape(m, shape, axis, blockSize);
  ElementType to = m.random.chance(0.5) ? ElementType::I8 : ElementType::U8;
  Value zeroPoint =
      m.random.chance(0.7) ? m.fresh(randomInts(m.random, to, scales, 0, 100)) : Value();
  Tensor scale = randomTensor(m.random, m.elementOf(x), scales, Content::Positive);
  for (int64_t i = 0; i < scale.size(); ++i) {
    scale.setDouble(i, scale.asDouble(i) / 32);
  }
  return m.add<graph::QuantizeLinearOp>(x, m.fresh(scale), zeroPoint,
                                        toMlir(to, m.builder.getContext()), axis, blockSize, true);
}

bool makeDequantize(GraphMaker &m) {
  auto isByte = [&](Value x) {
    return m.elementOf(x) == ElementType::I8 || m.elementOf(x) == ElementType::U8;
  };
  Value x = m.find(isByte);
  if (!x) {
    x = m.fresh(m.random.chance(0.5) ? ElementType::I8 : ElementType::U8, m.randomShape());
  }
  Shape shape = m.shapeOf(x);
  int64_t axis = shape.empty() ? 0 : m.random.between(0, shape.size() - 1);
  int64_t blockSize = 0;
  Shape scales = scaleShape(m, shape, axis, blockSize);
  ElementType to = m.random.chance(0.8) ? ElementType::F32 : ElementType::F16;
  Value zeroPoint = m.random.chance(0.7)
                        ? m.fresh(randomInts(m.random, m.elementOf(x), scales, 0, 100))
                        : Value();
  return m.add<graph::DequantizeLinearOp>(x, m.freshPositive(to, scales), zeroPoint,
                                          toMlir(to, m.builder.getContext()), axis, blockSize);
}

} // namespace

ArrayRef<Maker> reductionMakers() {
  static const Maker kMakers[] = {
      {"reduce", 6, makeReduce},         {"arg_reduce", 2, makeArgReduce},
      {"cumulative", 2, makeCumulative}, {"softmax", 3, makeSoftmax},
      {"quantize", 2, makeQuantize},     {"dequantize", 3, makeDequantize},
  };
  return kMakers;
}

} // namespace convoy::test
