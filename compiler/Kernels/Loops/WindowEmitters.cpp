// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits convolutions and pools. Along dimensions that are uniform over the lanes, loop bounds clip
// the window to the input; along the lanes, masks do:
//
//     rows: for kh in [max(0, pad - oh * stride), min(KH, H + pad - oh * stride))
//     lanes: mask 0 <= ow * stride + kw * dilation - pad < W

#include "Kernels/Loops/Arithmetic.h"
#include "Kernels/Loops/KernelEmitter.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

/// One spatial dimension of a window.
struct WindowDim {
  int64_t input, kernel, stride, dilation, pad, output;

  /// Returns whether some window exceeds the input.
  bool isPadded() const {
    int64_t last = (output - 1) * stride + (kernel - 1) * dilation - pad;
    return pad > 0 || last >= input;
  }
};

SmallVector<WindowDim> windowDims(ArrayRef<int64_t> input, ArrayRef<int64_t> output,
                                  ArrayRef<int64_t> kernel, ArrayRef<int64_t> strides,
                                  ArrayRef<int64_t> pads, ArrayRef<int64_t> dilations) {
  SmallVector<WindowDim> dims;
  for (size_t i = 0; i < kernel.size(); ++i) {
    dims.push_back({input[i + 2], kernel[i], strides[i], dilations[i], pads[i], output[i + 2]});
  }
  return dims;
}

template <typename PoolT>
SmallVector<WindowDim> poolDims(PoolT pool, KernelEmitter &k) {
  return windowDims(k.shape(pool.getInput()), k.shape(pool->getResult(0)), pool.getKernel(),
                    pool.getStrides(), pool.getPads(), pool.getDilations());
}

/// Returns the windows of a convolution.
template <typename ConvT>
SmallVector<WindowDim> convDims(ConvT conv, KernelEmitter &k) {
  return windowDims(k.shape(conv.getInput()), k.shape(conv.getResult()),
                    ArrayRef<int64_t>(k.shape(conv.getWeight())).drop_front(2), conv.getStrides(),
                    conv.getPads(), conv.getDilations());
}

/// Returns ceil(x / d) for any x and d > 0.
Value ceilDiv(KernelEmitter &k, Value x, int64_t d) {
  return d == 1 ? x : k.b.createOrFold<arith::CeilDivSIOp>(x, k.index(d));
}

using WindowBody = llvm::function_ref<SmallVector<Value>(ArrayRef<Value> taps, ArrayRef<Index> at,
                                                         Value mask, ValueRange carried)>;

/// Loops over the taps of the window at `at`, the spatial coordinates of the result, clipped or
/// masked to the input.
class WindowLoop {
public:
  WindowLoop(KernelEmitter &k, ArrayRef<WindowDim> dims, ArrayRef<Index> at, WindowBody body)
      : k(k), dims(dims), at(at), body(body) {}

  SmallVector<Value> run(ArrayRef<Value> carried, Value mask) { return from(0, carried, mask); }

private:
  SmallVector<Value> from(size_t i, ArrayRef<Value> carried, Value mask) {
    if (i == dims.size()) {
      return body(taps, inputs, mask, ValueRange(carried));
    }
    const WindowDim &d = dims[i];
    auto step = [&](Value tap, ValueRange now) {
      Lanes l = k.lanes();
      Index start = l.add(l.mul(at[i], d.stride), -d.pad);
      Index position = l.add(start, l.mul(l.uniform(tap), d.dilation));
      bool needsMask = !at[i].isUniform() && k.width > 1 && d.isPadded();
      Value inner = needsMask ? l.both(mask, l.inBounds(position, d.input)) : mask;
      taps.push_back(tap);
      inputs.push_back(position);
      SmallVector<Value> next = from(i + 1, SmallVector<Value>(now), inner);
      taps.pop_back();
      inputs.pop_back();
      return next;
    };
    bool isUniform = at[i].isUniform() || k.width == 1;
    if (!isUniform || !d.isPadded()) {
      return k.loop(d.kernel, carried, step);
    }
    // tap * dilation >= pad - o * stride  and  tap * dilation < input + pad - o * stride
    Value offset = k.b.createOrFold<arith::SubIOp>(
        k.index(d.pad), k.b.createOrFold<arith::MulIOp>(at[i].base, k.index(d.stride)));
    Value lower = k.b.createOrFold<arith::MaxSIOp>(ceilDiv(k, offset, d.dilation), k.index(0));
    Value limit = k.b.createOrFold<arith::AddIOp>(offset, k.index(d.input));
    Value upper =
        k.b.createOrFold<arith::MinSIOp>(ceilDiv(k, limit, d.dilation), k.index(d.kernel));
    return k.loop(lower, upper, carried, step);
  }

  KernelEmitter &k;
  ArrayRef<WindowDim> dims;
  ArrayRef<Index> at;
  WindowBody body;
  SmallVector<Value> taps;
  SmallVector<Index> inputs;
};

/// Converts a loaded element before the multiplication.
using Prepare = llvm::function_ref<Value(Lanes &, Value)>;

/// Returns the sum of a convolution in `wide`, without its bias. The sum over one window of one
/// channel is computed in `type`.
template <typename OpT>
Value emitConvSum(OpT op, KernelEmitter &k, const ElementQuery &q, ElementType type,
                  ElementType wide, Prepare prepareInput, Prepare prepareWeight) {
  Shape input = k.shape(op.getInput());
  Shape weight = k.shape(op.getWeight());
  Shape output = k.shape(op.getResult());
  SmallVector<WindowDim> dims = convDims(op, k);
  Arithmetic a{k.lanes(), wide};
  // The first input channel of the group of this output channel.
  int64_t perGroup = weight[1];
  Index group = a.lanes.div(q.at[1], output[1] / op.getGroups());
  Index firstChannel = op.getGroups() == 1 ? a.lanes.constant(0) : a.lanes.mul(group, perGroup);
  return k.loop(perGroup, {a.number(0)}, [&](Value channel, ValueRange carried) {
    auto tap = [&](ArrayRef<Value> taps, ArrayRef<Index> at, Value mask, ValueRange now) {
      Lanes l = k.lanes();
      Arithmetic inner{l, type};
      SmallVector<Index> inputAt{q.at[0], l.add(firstChannel, l.uniform(channel))};
      inputAt.append(at.begin(), at.end());
      SmallVector<Index> weightAt{q.at[1], l.uniform(channel)};
      for (Value t : taps) {
        weightAt.push_back(l.uniform(t));
      }
      Value x = prepareInput(l, k.element(op.getInput(), inputAt, mask));
      Value w = prepareWeight(l, k.element(op.getWeight(), weightAt, q.mask));
      x = mask == q.mask ? x : l.select(mask, x, inner.number(0));
      return SmallVector<Value>{inner.multiplyAdd(x, w, now[0])};
    };
    Lanes l = k.lanes();
    SmallVector<Value> start(carried);
    if (wide != type) {
      start = {Arithmetic{l, type}.number(0)};
    }
    SmallVector<Value> window = WindowLoop(k, dims, q.at.drop_front(2), tap).run(start, q.mask);
    if (wide != type) {
      Value sum = convert(l, window[0], type, wide);
      window = {Arithmetic{l, wide}.add(carried[0], sum)};
    }
    return window;
  })[0];
}

Value emitConv(graph::ConvOp op, KernelEmitter &k, const ElementQuery &q) {
  ElementType type = k.type(op.getResult());
  auto keep = [](Lanes &, Value value) { return value; };
  Value sum = emitConvSum(op, k, q, type, type, keep, keep);
  // The bias is added last, as in most runtimes. Results near a rounding boundary of a quantized
  // model then match other runtimes more often.
  Arithmetic a{k.lanes(), type};
  if (op.getBias()) {
    sum = a.add(sum, k.element(op.getBias(), {q.at[1]}, q.mask));
  }
  return roundTo(a.lanes, type, sum);
}

/// Returns whether the sum over one window of one channel fits in i32. A product of 16 and 8 bits
/// is below 2^24 in magnitude.
bool fitsWindow(graph::IntegerConvOp op, KernelEmitter &k) {
  constexpr int64_t kMostTaps = int64_t(1) << 7;
  Shape weight = k.shape(op.getWeight());
  return *elementCount(ArrayRef<int64_t>(weight).drop_front(2)) <= kMostTaps;
}

Value emitIntegerConv(graph::IntegerConvOp op, KernelEmitter &k, const ElementQuery &q) {
  ElementType wide = k.type(op.getResult()); // i32 or i64
  ElementType type = fitsWindow(op, k) ? ElementType::I32 : wide;
  auto input = [&](Lanes &l, Value x) {
    return centered(l, x, k.type(op.getInput()), op.getInputZeroPoint(), type);
  };
  Lanes outer = k.lanes();
  Value zeros = op.getChannelZeroPoints();
  zeros =
      zeros ? convert(outer, k.element(zeros, {q.at[1]}, q.mask), ElementType::I32, type) : Value();
  auto weight = [&](Lanes &l, Value w) {
    Value own = centered(l, w, k.type(op.getWeight()), op.getWeightZeroPoint(), type);
    return zeros ? l.op<arith::SubIOp>(own, zeros) : own;
  };
  Value sum = emitConvSum(op, k, q, type, wide, input, weight);
  if (op.getBias()) {
    sum = k.lanes().op<arith::AddIOp>(sum, k.element(op.getBias(), {q.at[1]}, q.mask));
  }
  return sum;
}

/// The element at position out + pad - tap * dilation of the input stretched by the stride.
/// `isThere` is false if the stride does not divide the position.
struct Stretched {
  Index index;
  Value isThere;
};

Stretched stretchedAt(Lanes &l, const WindowDim &d, const Index &out, Value tap) {
  Index position = l.sub(l.add(out, d.pad), l.mul(l.uniform(tap), d.dilation));
  // Shift by whole strides, so that the division is of a non-negative number.
  int64_t shift = (d.kernel * d.dilation + std::max<int64_t>(-d.pad, 0)) / d.stride + 1;
  Index lifted = l.add(position, shift * d.stride);
  Index index = l.add(l.div(lifted, d.stride), -shift);
  Value isThere = l.inBounds(index, d.input);
  if (d.stride > 1) {
    isThere = l.both(isThere, l.isEqual(l.rem(lifted, d.stride), 0));
  }
  return {index, isThere};
}

Value emitConvTranspose(graph::ConvTransposeOp op, KernelEmitter &k, const ElementQuery &q) {
  Shape input = k.shape(op.getInput());
  Shape weight = k.shape(op.getWeight());
  Shape output = k.shape(op.getResult());
  ElementType type = k.type(op.getResult());
  SmallVector<WindowDim> dims = convDims(op, k);
  Lanes outer = k.lanes();
  Arithmetic a{outer, type};
  Value start = op.getBias() ? k.element(op.getBias(), {q.at[1]}, q.mask) : a.number(0);
  int64_t inPerGroup = input[1] / op.getGroups();
  Index group = outer.div(q.at[1], weight[1]);
  Index channelInGroup = outer.rem(q.at[1], weight[1]);
  if (weight[1] == 1) {
    channelInGroup = outer.constant(0);
  }
  Index firstChannel = op.getGroups() == 1 ? outer.constant(0) : outer.mul(group, inPerGroup);
  SmallVector<int64_t> box{inPerGroup};
  box.append(weight.begin() + 2, weight.end());
  auto tap = [&](ArrayRef<Value> ivs, ValueRange carried) {
    Lanes l = k.lanes();
    Arithmetic inner{l, type};
    Index channel = l.add(firstChannel, l.uniform(ivs[0]));
    SmallVector<Index> inputAt{q.at[0], channel};
    SmallVector<Index> weightAt{channel, channelInGroup};
    Value mask = q.mask;
    for (size_t i = 0; i < dims.size(); ++i) {
      Stretched there = stretchedAt(l, dims[i], q.at[i + 2], ivs[i + 1]);
      inputAt.push_back(there.index);
      weightAt.push_back(l.uniform(ivs[i + 1]));
      mask = l.both(mask, there.isThere);
    }
    Value x = k.element(op.getInput(), inputAt, mask);
    Value w = k.element(op.getWeight(), weightAt, q.mask);
    x = l.select(mask, x, inner.number(0));
    return SmallVector<Value>{inner.multiplyAdd(x, w, carried[0])};
  };
  return roundTo(outer, type, k.loops(box, {start}, tap)[0]);
}

/// Loops over the window of a pool. The body gets the element and whether it is inside (null if it
/// always is).
SmallVector<Value>
poolLoop(KernelEmitter &k, Value input, ArrayRef<WindowDim> dims, const ElementQuery &q,
         ArrayRef<Value> carried,
         llvm::function_ref<SmallVector<Value>(ArrayRef<Index>, Value, Value, ValueRange)> body) {
  auto tap = [&](ArrayRef<Value>, ArrayRef<Index> at, Value mask, ValueRange now) {
    SmallVector<Index> inputAt{q.at[0], q.at[1]};
    inputAt.append(at.begin(), at.end());
    Value x = k.element(input, inputAt, mask);
    return body(inputAt, x, mask == q.mask ? Value() : mask, now);
  };
  return WindowLoop(k, dims, q.at.drop_front(2), tap).run(carried, q.mask);
}

/// Combines the elements of the window of a pool. An element outside the input counts as `start`.
Value poolElements(KernelEmitter &k, Value input, ArrayRef<WindowDim> dims, const ElementQuery &q,
                   llvm::function_ref<Value(Arithmetic &)> start,
                   llvm::function_ref<Value(Arithmetic &, Value, Value)> combine) {
  ElementType type = k.type(input);
  Arithmetic a{k.lanes(), type};
  return poolLoop(k, input, dims, q, {start(a)},
                  [&](ArrayRef<Index>, Value x, Value inside, ValueRange now) {
                    Arithmetic inner{k.lanes(), type};
                    x = inside ? inner.lanes.select(inside, x, start(inner)) : x;
                    return SmallVector<Value>{combine(inner, now[0], x)};
                  })[0];
}

/// Returns the flat index of an input position; column-major in the spatial dimensions if
/// `columnMajor` is set.
Index flatIndex(Lanes &l, ArrayRef<Index> at, ArrayRef<int64_t> shape, bool columnMajor) {
  if (!columnMajor) {
    return l.linearize(at, shape);
  }
  SmallVector<Index> swapped(at.begin(), at.end());
  Shape swappedShape(shape.begin(), shape.end());
  std::reverse(swapped.begin() + 2, swapped.end());
  std::reverse(swappedShape.begin() + 2, swappedShape.end());
  return l.linearize(swapped, swappedShape);
}

Value emitMaxPool(graph::MaxPoolOp op, KernelEmitter &k, const ElementQuery &q) {
  Shape input = k.shape(op.getInput());
  ElementType type = k.type(op.getInput());
  SmallVector<WindowDim> dims = poolDims(op, k);
  Arithmetic a{k.lanes(), type};
  if (q.result == 0) {
    return poolElements(
        k, op.getInput(), dims, q, [](Arithmetic &own) { return own.lowest(); },
        [](Arithmetic &own, Value most, Value x) { return own.max(most, x); });
  }
  Value none = a.lanes.intOf(a.lanes.b.getI64Type(), -1);
  return poolLoop(k, op.getInput(), dims, q, {a.lowest(), none},
                  [&](ArrayRef<Index> at, Value x, Value inside, ValueRange now) {
                    Lanes l = k.lanes();
                    Arithmetic inner{l, type};
                    Type i64 = l.b.getI64Type();
                    Value index = l.toValue(flatIndex(l, at, input, op.getColumnMajor()), i64);
                    // The first element inside wins even if it is the lowest value.
                    Value isFirst = l.compare(arith::CmpIPredicate::slt, now[1], l.intOf(i64, 0));
                    Value isBetter = l.op<arith::OrIOp>(inner.outranks(x, now[0]), isFirst);
                    isBetter = inside ? l.both(isBetter, inside) : isBetter;
                    return SmallVector<Value>{l.select(isBetter, x, now[0]),
                                              l.select(isBetter, index, now[1])};
                  })[1];
}

/// Returns the number of taps along one dimension that count for the divisor of an average.
Index countTaps(Lanes &l, const WindowDim &d, const Index &out, int64_t padEnd, bool includesPad) {
  Index offset = l.sub(l.constant(d.pad), l.mul(out, d.stride));
  auto ceil = [&](const Index &x) { return l.div(l.add(x, d.dilation - 1), d.dilation); };
  Index upper =
      l.min(ceil(l.max(l.add(offset, d.input + (includesPad ? padEnd : 0)), 0)), d.kernel);
  return includesPad ? upper : l.sub(upper, ceil(l.max(offset, 0)));
}

Value emitAveragePool(graph::AveragePoolOp op, KernelEmitter &k, const ElementQuery &q) {
  Shape input = k.shape(op.getInput());
  ElementType type = k.type(op.getInput());
  SmallVector<WindowDim> dims = poolDims(op, k);
  Lanes outer = k.lanes();
  Arithmetic a{outer, type};
  Value sum = poolElements(
      k, op.getInput(), dims, q, [](Arithmetic &own) { return own.number(0); },
      [](Arithmetic &own, Value sum, Value x) { return own.add(sum, x); });
  Value count;
  Type i64 = outer.b.getI64Type();
  for (size_t i = 0; i < dims.size(); ++i) {
    int64_t padEnd = op.getPads()[dims.size() + i];
    Index taps = countTaps(outer, dims[i], q.at[i + 2], padEnd, op.getCountIncludePad());
    Value value = outer.toValue(taps, i64);
    count = count ? outer.op<arith::MulIOp>(count, value) : value;
  }
  ElementType wide = type == ElementType::F64 ? type : ElementType::F32;
  Value divisor = convert(outer, count, ElementType::I64, wide);
  return roundTo(outer, type, a.div(sum, divisor));
}

Value emitIntegerSumPool(graph::IntegerSumPoolOp op, KernelEmitter &k, const ElementQuery &q) {
  SmallVector<WindowDim> dims = poolDims(op, k);
  Lanes outer = k.lanes();
  Value zero = outer.intOf(outer.b.getI32Type(), 0);
  return poolLoop(k, op.getInput(), dims, q, {zero},
                  [&](ArrayRef<Index>, Value x, Value inside, ValueRange now) {
                    Lanes l = k.lanes();
                    x = centered(l, x, k.type(op.getInput()), op.getInputZeroPoint());
                    x = inside ? l.select(inside, x, l.intOf(l.b.getI32Type(), 0)) : x;
                    return SmallVector<Value>{l.op<arith::AddIOp>(now[0], x)};
                  })[0];
}

Value emitLpPool(graph::LpPoolOp op, KernelEmitter &k, const ElementQuery &q) {
  ElementType type = k.type(op.getInput());
  SmallVector<WindowDim> dims = poolDims(op, k);
  Arithmetic a{k.lanes(), type};
  double p = static_cast<double>(op.getP());
  auto addPower = [&](Arithmetic &own, Value sum, Value x) {
    Value magnitude = own.unary(graph::UnaryKind::Abs, x);
    Value power = op.getP() == 2   ? own.mul(x, x)
                  : op.getP() == 1 ? magnitude
                                   : own.power(magnitude, own.number(p), type);
    return own.add(sum, power);
  };
  Value sum = poolElements(
      k, op.getInput(), dims, q, [](Arithmetic &own) { return own.number(0); }, addPower);
  Value root = op.getP() == 1   ? sum
               : op.getP() == 2 ? a.lanes.b.create<math::SqrtOp>(sum).getResult()
                                : a.power(sum, a.number(1 / p), type);
  return roundTo(a.lanes, type, root);
}

} // namespace

void addWindowEmitters(EmitterTable &table) {
  table.addElement<graph::ConvOp, emitConv>();
  table.addElement<graph::ConvTransposeOp, emitConvTranspose>();
  table.addElement<graph::MaxPoolOp, emitMaxPool>();
  table.addElement<graph::AveragePoolOp, emitAveragePool>();
  table.addElement<graph::IntegerConvOp, emitIntegerConv>();
  table.addElement<graph::IntegerSumPoolOp, emitIntegerSumPool>();
  table.addElement<graph::LpPoolOp, emitLpPool>();
}

} // namespace convoy::kernels
