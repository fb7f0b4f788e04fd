// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makers of convolutions, matrix products, pools and normalization.

#include "tests/differential/GraphMaker.h"

using namespace mlir;

namespace convoy::test {
namespace {

/// Returns a float tensor N C spatial... with at least one element.
Value image(GraphMaker &m) {
  auto fits = [&](Value x) {
    Shape shape = m.shapeOf(x);
    return isFloat(m.elementOf(x)) && shape.size() >= 3 && shape.size() <= 5 &&
           *elementCount(shape) > 0 && shape[1] <= 17;
  };
  Value found = m.random.chance(0.6) ? m.find(fits) : Value();
  if (found) {
    return found;
  }
  Shape shape = {m.random.between(1, 2), m.random.between(1, 13)};
  int64_t rank = m.random.chance(0.7) ? 2 : m.random.chance(0.5) ? 1 : 3;
  for (int64_t i = 0; i < rank; ++i) {
    shape.push_back(m.random.between(1, rank == 3 ? 6 : 13));
  }
  return m.fresh(m.randomFloat(), shape);
}

/// Attributes of a window over the spatial dimensions of an image.
struct Window {
  Shape kernel, strides, pads, dilations;

  Window(GraphMaker &m, ArrayRef<int64_t> input) {
    Shape ends;
    for (int64_t dim : input.drop_front(2)) {
      int64_t k = m.random.between(1, std::min<int64_t>(dim, 4));
      int64_t dilation = m.random.chance(0.3) && (k - 1) * 2 + 1 <= dim ? 2 : 1;
      kernel.push_back(k);
      dilations.push_back(dilation);
      strides.push_back(m.random.chance(0.5) ? 1 : m.random.between(1, 3));
      // The padding is smaller than the kernel, so every window overlaps the image.
      bool isPadded = dilation == 1 && k > 1 && m.random.chance(0.6);
      pads.push_back(isPadded ? m.random.between(0, k - 1) : 0);
      ends.push_back(isPadded ? m.random.between(0, k - 1) : 0);
    }
    pads.append(ends);
  }
};

int64_t divisorOf(GraphMaker &m, int64_t number) {
  int64_t divisor = m.random.chance(0.3) ? number : m.random.between(1, number);
  while (number % divisor != 0) {
    --divisor;
  }
  return m.random.chance(0.5) ? 1 : divisor;
}

bool makeConv(GraphMaker &m) {
  Value x = image(m);
  Shape shape = m.shapeOf(x);
  Window w(m, shape);
  int64_t groups = divisorOf(m, shape[1]);
  int64_t outputs = groups * m.random.between(1, std::max<int64_t>(17 / groups, 1));
  Shape weight = {outputs, shape[1] / groups};
  weight.append(w.kernel);
  ElementType type = m.elementOf(x);
  Value bias = m.random.chance(0.5) ? m.fresh(type, {outputs}) : Value();
  return m.add<graph::ConvOp>(x, m.freshPlain(type, weight), bias, w.strides, w.pads, w.dilations,
                              groups);
}

bool makeConvTranspose(GraphMaker &m) {
  Value x = image(m);
  Shape shape = m.shapeOf(x);
  Window w(m, shape);
  std::fill(w.pads.begin(), w.pads.end(), 0);
  int64_t groups = divisorOf(m, shape[1]);
  int64_t outputs = m.random.between(1, 4);
  Shape weight = {shape[1], outputs};
  weight.append(w.kernel);
  Shape extra;
  for (int64_t stride : w.strides) {
    extra.push_back(m.random.between(0, stride - 1));
  }
  ElementType type = m.elementOf(x);
  Value bias = m.random.chance(0.5) ? m.fresh(type, {outputs * groups}) : Value();
  return m.add<graph::ConvTransposeOp>(x, m.freshPlain(type, weight), bias, w.strides, w.pads,
                                       w.dilations, extra, groups);
}

bool makeMatMul(GraphMaker &m) {
  Value x = m.random.chance(0.9) ? m.floats(1, 4) : m.fresh(ElementType::I32, m.randomShape(1, 3));
  Shape shape = m.shapeOf(x);
  int64_t inner = shape.back();
  Shape other = {inner};
  if (!m.random.chance(0.1)) {
    other.push_back(m.random.between(1, 17));
    for (int64_t i = static_cast<int64_t>(shape.size()) - 3; i >= 0; --i) {
      if (m.random.chance(0.4)) {
        break;
      }
      other.insert(other.begin(), m.random.chance(0.3) ? 1 : shape[i]);
    }
  }
  return m.add<graph::MatMulOp>(x, m.ofType(m.elementOf(x), other));
}

bool makeEinsum(GraphMaker &m) {
  ElementType type = m.randomFloat();
  int64_t a = m.random.between(1, 9);
  int64_t b = m.random.between(1, 9);
  int64_t c = m.random.between(1, 9);
  Value x = m.ofType(type, {a, b});
  const char *equations[] = {"ab,bc->ac", "ab,bc->ca", "ab,bc->abc", "ab,bc->b", "ab,bc->"};
  return m.add<graph::EinsumOp>(ValueRange{x, m.ofType(type, {b, c})},
                                StringRef(m.random.pick(equations)));
}

bool makePool(GraphMaker &m) {
  Value x = image(m);
  Window w(m, m.shapeOf(x));
  // ONNX forbids windows that lie in the padding entirely; ceilMode could make one.
  bool isPadded = llvm::any_of(w.pads, [](int64_t pad) { return pad != 0; });
  bool isSpread = llvm::any_of(w.dilations, [](int64_t dilation) { return dilation != 1; });
  bool ceils = !isPadded && !isSpread && m.random.chance(0.3);
  switch (m.random.between(0, 2)) {
  case 0:
    return m.addMany<graph::MaxPoolOp>(2, m.sharp(x), w.kernel, w.strides, w.pads, w.dilations,
                                       ceils, m.random.chance(0.2));
  case 1:
    return m.add<graph::AveragePoolOp>(x, w.kernel, w.strides, w.pads, w.dilations, ceils,
                                       m.random.chance(0.5));
  default:
    return m.add<graph::LpPoolOp>(x, w.kernel, w.strides, w.pads, w.dilations, ceils,
                                  m.random.between(1, 3));
  }
}

bool makeBatchNorm(GraphMaker &m) {
  auto isConv = [](Value x) { return x.getDefiningOp<graph::ConvOp>() != nullptr; };
  Value x = m.random.chance(0.7) ? m.find(isConv) : Value();
  x = x ? x : m.floats(2, 5);
  Shape channels = {m.shapeOf(x)[1]};
  ElementType type = m.elementOf(x);
  auto vector = [&](Content content) {
    Tensor tensor = randomTensor(m.random, type, channels, content);
    return m.random.chance(0.85) ? m.constant(tensor) : m.fresh(tensor);
  };
  return m.add<graph::BatchNormOp>(x, vector(Content::Plain), vector(Content::Plain),
                                   vector(Content::Plain), vector(Content::Positive),
                                   APFloat(1e-3));
}

bool makeLRN(GraphMaker &m) {
  Value x = image(m);
  int64_t size = std::min<int64_t>(m.random.between(1, 5), m.shapeOf(x)[1]);
  return m.add<graph::LRNOp>(x, size, APFloat(0.1), APFloat(0.75), APFloat(1.0));
}

} // namespace

ArrayRef<Maker> layerMakers() {
  static const Maker kMakers[] = {
      {"conv", 6, makeConv},     {"conv_transpose", 2, makeConvTranspose},
      {"matmul", 5, makeMatMul}, {"einsum", 1, makeEinsum},
      {"pool", 4, makePool},     {"batch_norm", 3, makeBatchNorm},
      {"lrn", 1, makeLRN},
  };
  return kMakers;
}

} // namespace convoy::test
