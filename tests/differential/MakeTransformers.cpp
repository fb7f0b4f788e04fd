// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makers of the patterns of transformers and recurrent networks: batched products of computed
// operands, attention, normalizations, activations that exporters decompose, dynamic quantization,
// LSTM and GRU. Each maker adds several ops. If Trial rejects an op, the ops before it remain.

#include "tests/differential/GraphMaker.h"

using namespace mlir;

namespace convoy::test {
namespace {

using graph::BinaryKind;
using graph::ReduceKind;
using graph::UnaryKind;

/// Adds one op after another. After the first rejected op, each method returns its first operand
/// and adds nothing.
class Chain {
public:
  explicit Chain(GraphMaker &m) : m(m) {}

  template <typename OpT, typename... Args>
  Value add(Value otherwise, Args &&...args) {
    if (!isComplete) {
      return otherwise;
    }
    Operation *op = m.add<OpT>(std::forward<Args>(args)...);
    isComplete = op != nullptr;
    return op ? op->getResult(0) : otherwise;
  }
  Value unary(UnaryKind kind, Value x) { return add<graph::UnaryOp>(x, kind, x); }
  Value binary(BinaryKind kind, Value x, Value y) { return add<graph::BinaryOp>(x, kind, x, y); }
  /// Applies the kind to x and a scalar, in either order if it commutes.
  Value scalar(BinaryKind kind, Value x, double value) {
    Value other = m.constant(Tensor::scalar(m.elementOf(x), value));
    bool swaps = (kind == BinaryKind::Add || kind == BinaryKind::Mul) && m.random.chance(0.3);
    return swaps ? add<graph::BinaryOp>(x, kind, other, x) : binary(kind, x, other);
  }
  Value matmul(Value x, Value y) { return add<graph::MatMulOp>(x, x, y); }
  Value softmax(Value x, int64_t axis, bool isLog = false) {
    return add<graph::SoftmaxOp>(x, x, axis, isLog);
  }
  Value transpose(Value x, ArrayRef<int64_t> perm) { return add<graph::TransposeOp>(x, x, perm); }
  Value reshape(Value x, ArrayRef<int64_t> shape) {
    return isComplete ? add<graph::ReshapeOp>(x, x, m.ints(shape), /*allowZero=*/true) : x;
  }
  Value mean(Value x, ArrayRef<int64_t> axes) {
    return isComplete ? add<graph::ReduceOp>(x, ReduceKind::Mean, x, m.ints(axes),
                                             /*keepDims=*/true, /*noopWithEmptyAxes=*/true)
                      : x;
  }
  Value cast(Value x, ElementType to) {
    return add<graph::CastOp>(x, x, toMlir(to, m.builder.getContext()), /*saturate=*/true,
                              graph::RoundMode::Up);
  }

  GraphMaker &m;
  bool isComplete = true;
};

/// Returns a size that is mostly small and odd, and sometimes that of a vector or more.
int64_t size(GraphMaker &m, int64_t most) {
  const int64_t usual[] = {1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 17, 24, 33};
  return std::min(m.random.pick(usual), most);
}

ElementType productType(GraphMaker &m) {
  return m.random.chance(0.8)   ? ElementType::F32
         : m.random.chance(0.5) ? ElementType::F16
                                : ElementType::BF16;
}

/// Returns a constant of about the size 1 / sqrt(shape[0]), so that products keep their size.
Value weight(GraphMaker &m, ElementType type, ArrayRef<int64_t> shape) {
  Tensor tensor = randomTensor(m.random, type, shape);
  double scale = 1 / std::sqrt(static_cast<double>(std::max<int64_t>(shape.front(), 1)));
  for (int64_t i = 0; i < tensor.size(); ++i) {
    tensor.setDouble(i, tensor.asDouble(i) * scale);
  }
  return m.random.chance(0.9) ? m.constant(tensor) : m.fresh(tensor);
}

//===-- Products ---------------------------------------------------------------------------===//

/// Returns an activation that an op has computed, so that it is no constant.
Value computed(Chain &c, ElementType type, ArrayRef<int64_t> shape) {
  Value x = c.m.ofType(type, shape);
  return c.m.random.chance(0.7) ? c.scalar(BinaryKind::Mul, x, 0.5) : x;
}

/// Multiplies two stacks of computed matrices. Each operand may be stored transposed or with the
/// heads inside the rows.
bool makeBatchedProduct(GraphMaker &m) {
  Chain c(m);
  ElementType type = productType(m);
  int64_t batch = m.random.between(1, 2), heads = m.random.between(1, 4);
  int64_t rows = size(m, 17), depth = size(m, 33), columns = size(m, 17);
  auto operand = [&](int64_t first, int64_t second) {
    if (m.random.chance(0.3)) {
      return c.transpose(computed(c, type, {batch, heads, second, first}), {0, 1, 3, 2});
    }
    if (m.random.chance(0.5)) {
      return c.transpose(computed(c, type, {batch, first, heads, second}), {0, 2, 1, 3});
    }
    return computed(c, type, {batch, heads, first, second});
  };
  Value left = operand(rows, depth);
  Value right = operand(depth, columns);
  Value product = c.matmul(left, right);
  if (m.random.chance(0.5)) {
    product = c.scalar(BinaryKind::Mul, product, 0.125);
  }
  if (m.random.chance(0.4)) {
    product = c.reshape(c.transpose(product, {0, 2, 1, 3}), {batch, rows, heads * columns});
  }
  return c.isComplete;
}

//===-- Attention --------------------------------------------------------------------------===//

struct AttentionShape {
  int64_t batch, queries, keys, heads, keyHeads, depth;
};

/// Returns B x H x S x D, or B x H x D x S if it is transposed.
Value headsOf(Chain &c, Value x, int64_t heads, int64_t depth, bool isTransposed) {
  GraphMaker &m = c.m;
  Shape shape = m.shapeOf(x);
  ElementType type = m.elementOf(x);
  Value y = c.matmul(x, weight(m, type, {shape[2], heads * depth}));
  if (m.random.chance(0.6)) {
    y = c.binary(BinaryKind::Add, y, m.fresh(type, {heads * depth}));
  }
  y = c.reshape(y, {shape[0], shape[1], heads, depth});
  if (isTransposed && m.random.chance(0.5)) {
    return c.transpose(y, {0, 2, 3, 1});
  }
  y = c.transpose(y, {0, 2, 1, 3});
  return isTransposed ? c.transpose(y, {0, 1, 3, 2}) : y;
}

/// Repeats each head of keys or values, as exporters write it: a dimension of size 1 is expanded.
Value repeatHeads(Chain &c, Value x, int64_t times) {
  if (times == 1 || !c.isComplete) {
    return x;
  }
  GraphMaker &m = c.m;
  Shape s = m.shapeOf(x);
  Value y = c.reshape(x, {s[0], s[1], 1, s[2], s[3]});
  if (c.isComplete) {
    y = c.add<graph::ExpandOp>(y, y, m.ints({s[0], s[1], times, s[2], s[3]}));
  }
  return c.reshape(y, {s[0], s[1] * times, s[2], s[3]});
}

/// Adds a mask to the scores: by positions, by keys, or as a selection.
Value masked(Chain &c, Value scores, const AttentionShape &s) {
  GraphMaker &m = c.m;
  ElementType type = m.elementOf(scores);
  double hidden = m.hasSpecials() && type == ElementType::F32 ? -INFINITY : -30;
  bool isCausal = m.random.chance(0.5);
  Shape shape = isCausal               ? Shape{s.queries, s.keys}
                : m.random.chance(0.5) ? Shape{s.batch, 1, 1, s.keys}
                                       : Shape{s.batch, 1, s.queries, s.keys};
  Tensor visible(ElementType::Bool, shape);
  Tensor summand(type, shape);
  for (int64_t i = 0; i < visible.size(); ++i) {
    int64_t row = i / s.keys, key = i % s.keys;
    // Each query sees the first key, so no row is masked whole.
    bool isVisible =
        key == 0 || (isCausal ? key <= row + s.keys - s.queries : m.random.chance(0.7));
    visible.setDouble(i, isVisible);
    summand.setDouble(i, isVisible ? 0 : hidden);
  }
  if (m.random.chance(0.4)) {
    Value other = m.constant(Tensor::scalar(type, hidden));
    Value condition = m.fresh(visible);
    return c.add<graph::SelectOp>(scores, condition, scores, other);
  }
  return c.binary(BinaryKind::Add, scores, m.fresh(summand));
}

bool makeAttention(GraphMaker &m) {
  Chain c(m);
  ElementType type = productType(m);
  AttentionShape s;
  s.batch = m.random.between(1, 2);
  s.queries = size(m, 17);
  s.keys = m.random.chance(0.6) ? s.queries : size(m, 33);
  s.keyHeads = m.random.between(1, 2);
  s.heads = s.keyHeads * m.random.between(1, 2);
  s.depth = size(m, 16);
  int64_t width = size(m, 24);
  Value x = m.fresh(type, {s.batch, s.queries, width});
  Value other = s.keys == s.queries ? x : m.fresh(type, {s.batch, s.keys, width});
  Value query = headsOf(c, x, s.heads, s.depth, false);
  Value key = repeatHeads(c, headsOf(c, other, s.keyHeads, s.depth, true), s.heads / s.keyHeads);
  Value value = repeatHeads(c, headsOf(c, other, s.keyHeads, s.depth, false), s.heads / s.keyHeads);
  double scale = 1 / std::sqrt(static_cast<double>(s.depth));
  int64_t scaling = m.random.between(0, 3); // none, of both operands, as a product, as a quotient
  if (scaling == 1) {
    query = c.scalar(BinaryKind::Mul, query, std::sqrt(scale));
    key = c.scalar(BinaryKind::Mul, key, std::sqrt(scale));
  }
  Value scores = c.matmul(query, key);
  if (scaling >= 2) {
    scores = c.scalar(scaling == 2 ? BinaryKind::Mul : BinaryKind::Div, scores,
                      scaling == 2 ? scale : 1 / scale);
  }
  if (m.random.chance(0.15)) {
    scores = c.scalar(BinaryKind::Div, scores, 5);
    scores = c.scalar(BinaryKind::Mul, c.unary(UnaryKind::Tanh, scores), 5);
  }
  if (m.random.chance(0.6) && c.isComplete) {
    scores = masked(c, scores, s);
  }
  Value y = c.matmul(c.softmax(scores, 3), value);
  y = c.reshape(c.transpose(y, {0, 2, 1, 3}), {s.batch, s.queries, s.heads * s.depth});
  return c.isComplete;
}

//===-- Normalizations ---------------------------------------------------------------------===//

/// Returns (x - mean) / sqrt(variance + epsilon) in one of the forms that Import and exporters
/// write; without the mean for RMSNorm.
Value normalized(Chain &c, Value x, ArrayRef<int64_t> axes, bool isCentered) {
  GraphMaker &m = c.m;
  Value centered = isCentered ? c.binary(BinaryKind::Sub, x, c.mean(x, axes)) : x;
  Value square = m.random.chance(0.5) ? c.binary(BinaryKind::Mul, centered, centered)
                                      : c.scalar(BinaryKind::Pow, centered, 2);
  Value deviation = c.scalar(BinaryKind::Add, c.mean(square, axes), 1e-3);
  deviation = c.unary(UnaryKind::Sqrt, deviation);
  if (m.random.chance(0.5)) {
    return c.binary(BinaryKind::Div, centered, deviation);
  }
  return c.binary(BinaryKind::Mul, centered, c.unary(UnaryKind::Reciprocal, deviation));
}

/// Multiplies by a scale and adds a bias of the shape.
Value scaled(Chain &c, Value x, ArrayRef<int64_t> shape) {
  ElementType type = c.m.elementOf(x);
  Value y = c.binary(BinaryKind::Mul, x, c.m.fresh(type, shape));
  return c.m.random.chance(0.8) ? c.binary(BinaryKind::Add, y, c.m.fresh(type, shape)) : y;
}

/// LayerNorm or RMSNorm over the last dimension, with an optional residual sum before it.
bool makeRowNorm(GraphMaker &m) {
  Chain c(m);
  Value x = m.ofType(ElementType::F32, {m.random.between(1, 3), size(m, 9), size(m, 33)});
  Shape shape = m.shapeOf(x);
  if (m.random.chance(0.5)) {
    x = c.binary(BinaryKind::Add, x, m.ofType(ElementType::F32, shape));
  }
  bool isCentered = m.random.chance(0.7);
  scaled(c, normalized(c, x, {m.random.chance(0.5) ? 2 : -1}, isCentered), {shape[2]});
  return c.isComplete;
}

/// InstanceNorm, or GroupNorm with a reshape before and after the normalization.
bool makeImageNorm(GraphMaker &m) {
  Chain c(m);
  int64_t groups = m.random.between(1, 3), channels = groups * m.random.between(1, 4);
  Shape shape = {m.random.between(1, 2), channels, size(m, 9), size(m, 9)};
  Value x = computed(c, ElementType::F32, shape);
  Value y;
  if (m.random.chance(0.5)) {
    y = normalized(c, x, {2, 3}, /*isCentered=*/true);
  } else {
    int64_t rest = channels / groups * shape[2] * shape[3];
    y = normalized(c, c.reshape(x, {shape[0], groups, rest}), {2}, /*isCentered=*/true);
    y = c.reshape(y, shape);
  }
  scaled(c, y, {channels, 1, 1});
  return c.isComplete;
}

/// A softmax or logarithmic softmax with element-wise ops before and after it.
bool makeScaledSoftmax(GraphMaker &m) {
  Chain c(m);
  ElementType type = productType(m);
  Value x = m.ofType(type, {m.random.between(1, 3), size(m, 9), size(m, 33)});
  int64_t axis = m.random.chance(0.8) ? 2 : m.random.between(0, 1);
  Value y = c.scalar(BinaryKind::Mul, x, 0.5);
  y = c.softmax(y, axis, m.random.chance(0.4));
  if (m.random.chance(0.5)) {
    c.scalar(BinaryKind::Mul, y, 3);
  }
  return c.isComplete;
}

//===-- Activations ------------------------------------------------------------------------===//

/// Returns an activation in the form of exporters, whose ops read x more than once.
Value activated(Chain &c, Value x) {
  GraphMaker &m = c.m;
  switch (m.random.between(0, 5)) {
  case 0: { // Gelu by erf
    Value y = c.unary(UnaryKind::Erf, c.scalar(BinaryKind::Div, x, std::sqrt(2.0)));
    y = c.binary(BinaryKind::Mul, x, c.scalar(BinaryKind::Add, y, 1));
    return c.scalar(BinaryKind::Mul, y, 0.5);
  }
  case 1: { // Gelu by tanh
    Value cube = m.random.chance(0.5)
                     ? c.scalar(BinaryKind::Pow, x, 3)
                     : c.binary(BinaryKind::Mul, c.binary(BinaryKind::Mul, x, x), x);
    Value y = c.binary(BinaryKind::Add, x, c.scalar(BinaryKind::Mul, cube, 0.044715));
    y = c.unary(UnaryKind::Tanh, c.scalar(BinaryKind::Mul, y, std::sqrt(2 / 3.141592653589793)));
    y = c.scalar(BinaryKind::Add, y, 1);
    return c.binary(BinaryKind::Mul, c.scalar(BinaryKind::Mul, x, 0.5), y);
  }
  case 2: // SiLU
    return c.binary(BinaryKind::Mul, x, c.unary(UnaryKind::Sigmoid, x));
  case 3: { // HardSwish by Clip
    Value y = c.scalar(BinaryKind::Add, x, 3);
    y = c.scalar(BinaryKind::Min, c.scalar(BinaryKind::Max, y, 0), 6);
    return c.scalar(BinaryKind::Div, c.binary(BinaryKind::Mul, x, y), 6);
  }
  case 4: { // HardSwish by HardSigmoid
    Value y = c.add<graph::ActivationOp>(x, graph::ActivationKind::HardSigmoid, x, APFloat(1.0 / 6),
                                         APFloat(0.5));
    return c.binary(BinaryKind::Mul, x, y);
  }
  default: {
    const UnaryKind kinds[] = {UnaryKind::Gelu, UnaryKind::GeluTanh, UnaryKind::HardSwish};
    return c.unary(m.random.pick(kinds), x);
  }
  }
}

/// A dense layer or a 1x1 convolution, an activation, and a gate or residual sum.
bool makeDenseActivation(GraphMaker &m) {
  Chain c(m);
  ElementType type = productType(m);
  int64_t rows = size(m, 17), inputs = size(m, 33), outputs = size(m, 33);
  bool isConv = m.random.chance(0.3);
  Shape shape = isConv ? Shape{1, inputs, rows, 3} : Shape{m.random.between(1, 2), rows, inputs};
  Value x = m.ofType(type, shape);
  const Shape ones = {1, 1}, none = {0, 0, 0, 0};
  Value y = isConv ? c.add<graph::ConvOp>(x, x, weight(m, type, {outputs, inputs, 1, 1}), Value(),
                                          ones, none, ones, int64_t(1))
                   : c.matmul(x, weight(m, type, {inputs, outputs}));
  if (m.random.chance(0.8) && c.isComplete) {
    Shape bias = isConv ? Shape{outputs, 1, 1} : Shape{outputs};
    y = c.binary(BinaryKind::Add, y, m.fresh(type, bias));
  }
  Value z = activated(c, y);
  if (m.random.chance(0.3) && c.isComplete) {
    BinaryKind kind = m.random.chance(0.5) ? BinaryKind::Add : BinaryKind::Mul;
    c.binary(kind, z, m.ofType(type, m.shapeOf(z)));
  }
  return c.isComplete;
}

//===-- Dynamic quantization ---------------------------------------------------------------===//

struct DynamicBytes {
  Value bytes, scale, zeroPoint;
};

/// Quantizes as ONNX defines DynamicQuantizeLinear.
DynamicBytes quantizeDynamically(Chain &c, Value x) {
  GraphMaker &m = c.m;
  Value zero = m.constant(Tensor::scalar(ElementType::F32, 0));
  auto extreme = [&](ReduceKind kind, BinaryKind withZero) {
    Value found = c.add<graph::ReduceOp>(zero, kind, x, Value(), /*keepDims=*/false,
                                         /*noopWithEmptyAxes=*/false);
    return c.binary(withZero, found, zero);
  };
  auto quantize = [&](Value value, Value scale, Value zeroPoint) {
    return c.add<graph::QuantizeLinearOp>(value, value, scale, zeroPoint,
                                          toMlir(ElementType::U8, m.builder.getContext()),
                                          int64_t(0), int64_t(0), /*saturate=*/true);
  };
  Value low = extreme(ReduceKind::Min, BinaryKind::Min);
  Value high = extreme(ReduceKind::Max, BinaryKind::Max);
  Value range = c.binary(BinaryKind::Sub, high, low);
  Value isFlat = c.binary(BinaryKind::Equal, range, zero);
  Value quotient = c.scalar(BinaryKind::Div, range, 255);
  Value one = m.constant(Tensor::scalar(ElementType::F32, 1));
  Value scale = c.isComplete ? c.add<graph::SelectOp>(range, isFlat, one, quotient) : range;
  Value zeroPoint = quantize(c.binary(BinaryKind::Sub, zero, low), scale, Value());
  return {c.isComplete ? quantize(x, scale, zeroPoint) : x, scale, zeroPoint};
}

/// Returns x - zeroPoint in i32.
Value centered(Chain &c, Value x, Value zeroPoint) {
  Value wide = c.cast(x, ElementType::I32);
  return c.binary(BinaryKind::Sub, wide, c.cast(zeroPoint, ElementType::I32));
}

/// Quantizes rows at run time and multiplies them with one or two matrices of bytes, as
/// MatMulInteger, Cast and Mul do. Zero points of weights are scalars or one per column.
bool makeDynamicProduct(GraphMaker &m) {
  Chain c(m);
  int64_t rows = size(m, 17), depth = size(m, 33);
  Shape shape =
      m.random.chance(0.5) ? Shape{rows, depth} : Shape{m.random.between(1, 2), rows, depth};
  DynamicBytes x = quantizeDynamically(c, m.fresh(ElementType::F32, shape));
  for (int64_t count = m.random.between(1, 2); count > 0 && c.isComplete; --count) {
    int64_t columns = size(m, 33);
    ElementType type = m.random.chance(0.6) ? ElementType::U8 : ElementType::I8;
    int64_t least = type == ElementType::U8 ? 0 : -128;
    Value w = m.constant(randomInts(m.random, type, {depth, columns}, least, least + 255));
    Shape zeros = m.random.chance(0.7) ? Shape{} : Shape{columns};
    Value zero = m.constant(randomInts(m.random, type, zeros, least + 100, least + 150));
    Value left = centered(c, x.bytes, x.zeroPoint);
    Value right = centered(c, w, zero);
    Value sums = c.matmul(left, right);
    Value y = c.cast(sums, ElementType::F32);
    y = c.binary(BinaryKind::Mul, y, c.scalar(BinaryKind::Mul, x.scale, 0.01));
    if (m.random.chance(0.6) && c.isComplete) {
      y = c.binary(BinaryKind::Add, y, m.fresh(ElementType::F32, {columns}));
    }
    if (m.random.chance(0.3) && c.isComplete) {
      y = activated(c, y);
    }
  }
  return c.isComplete;
}

//===-- Recurrent networks -----------------------------------------------------------------===//

/// The operands and attributes that LSTM and GRU share.
struct Layer {
  Layer(GraphMaker &m, int64_t gates, ArrayRef<StringRef> functions) {
    const char *directions[] = {"forward", "reverse", "bidirectional"};
    direction = m.random.pick(directions);
    count = direction == "bidirectional" ? 2 : 1;
    int64_t steps = m.random.between(1, 6);
    batch = m.random.chance(0.6) ? 1 : m.random.between(2, 3);
    hidden = size(m, 17);
    int64_t inputs = size(m, 17);
    ElementType type = ElementType::F32;
    x = m.ofType(type, {steps, batch, inputs});
    // The weights of each gate are small, so that no gate is saturated.
    auto matrix = [&](int64_t columns) {
      Tensor tensor = randomTensor(m.random, type, {count, gates * hidden, columns});
      for (int64_t i = 0; i < tensor.size(); ++i) {
        tensor.setDouble(i, tensor.asDouble(i) / std::sqrt(static_cast<double>(columns)));
      }
      return m.constant(tensor);
    };
    w = matrix(inputs);
    r = matrix(hidden);
    bias = m.random.chance(0.7) ? m.fresh(type, {count, 2 * gates * hidden}) : Value();
    lengths = m.random.chance(0.2)
                  ? m.fresh(randomInts(m.random, ElementType::I32, {batch}, 1, steps))
                  : Value();
    for (int64_t i = 0; i < count; ++i) {
      activations.append(functions.begin(), functions.end());
    }
    parameters.assign(activations.size(), 0);
  }

  Value state(GraphMaker &m) const {
    return m.random.chance(0.5) ? m.fresh(ElementType::F32, {count, batch, hidden}) : Value();
  }

  StringRef direction;
  int64_t count = 1, batch = 1, hidden = 1;
  Value x, w, r, bias, lengths;
  SmallVector<StringRef> activations;
  SmallVector<double> parameters;
};

bool makeLSTM(GraphMaker &m) {
  Layer l(m, 4, {"sigmoid", "tanh", "tanh"});
  Value peepholes =
      m.random.chance(0.2) ? m.fresh(ElementType::F32, {l.count, 3 * l.hidden}) : Value();
  // C++ does not order the evaluation of arguments.
  Value h = l.state(m);
  Value cell = l.state(m);
  bool isCoupled = m.random.chance(0.1);
  return m.addMany<graph::LSTMOp>(3, l.x, l.w, l.r, l.bias, l.lengths, h, cell, peepholes, l.hidden,
                                  l.direction, m.builder.getStrArrayAttr(l.activations),
                                  l.parameters, l.parameters, APFloat(0.0), isCoupled);
}

bool makeGRU(GraphMaker &m) {
  Layer l(m, 3, {"sigmoid", "tanh"});
  Value h = l.state(m);
  bool isLinear = m.random.chance(0.5);
  return m.addMany<graph::GRUOp>(2, l.x, l.w, l.r, l.bias, l.lengths, h, l.hidden, l.direction,
                                 m.builder.getStrArrayAttr(l.activations), l.parameters,
                                 l.parameters, APFloat(0.0), isLinear);
}

} // namespace

ArrayRef<Maker> transformerMakers() {
  static const Maker kMakers[] = {
      {"batched_product", 4, makeBatchedProduct},
      {"attention", 5, makeAttention},
      {"row_norm", 3, makeRowNorm},
      {"image_norm", 2, makeImageNorm},
      {"scaled_softmax", 2, makeScaledSoftmax},
      {"dense_activation", 4, makeDenseActivation},
      {"dynamic_product", 3, makeDynamicProduct},
      {"lstm", 1, makeLSTM},
      {"gru", 1, makeGRU},
  };
  return kMakers;
}

} // namespace convoy::test
