// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits ops that sample between elements, at positions that come from data. Along each dimension, a
// position becomes a few taps: an element index and its weight. Taps outside the input read
// nothing, and every index is in bounds for any data.

#include "Kernels/Loops/Arithmetic.h"
#include "Kernels/Loops/KernelEmitter.h"
#include <cmath>

using namespace mlir;
using convoy::graph::UnaryKind;

namespace convoy::kernels {
namespace {

/// One element along one dimension, per lane.
struct Tap {
  Index index;
  Value weight;
  Value counts; // whether the tap is inside; null if it always is
};
using Taps = SmallVector<Tap, 4>;

/// Numbers of one float type, a scalar or one per lane.
struct Numbers {
  Lanes &l;
  Arithmetic a;

  Numbers(Lanes &lanes, ElementType type) : l(lanes), a{lanes, type} {}

  Value of(double value) { return a.number(value); }
  Value floor(Value x) { return a.unary(UnaryKind::Floor, x); }
  Value less(Value x, Value y) { return l.compare(arith::CmpFPredicate::OLT, x, y); }
  Value atMost(Value x, Value y) { return l.compare(arith::CmpFPredicate::OLE, x, y); }
  Value clamp(Value x, double low, double high) { return a.min(a.max(x, of(low)), of(high)); }
  /// Returns whether 0 <= x < size; false for NaN.
  Value isInside(Value x, int64_t size) {
    return l.both(atMost(of(0), x), less(x, of(static_cast<double>(size))));
  }
  /// Returns the index of a position in [0, size).
  Index index(Value x, int64_t size) {
    Type i64 = l.b.getI64Type();
    Index index = l.fromValue(l.b.create<arith::FPToSIOp>(l.typeLike(x, i64), x));
    // f32 does not represent every size from 2^24 on and may round up to the size.
    constexpr int64_t kExactInF32 = int64_t(1) << 24;
    return size < kExactInF32 ? index : l.min(index, size - 1);
  }
};

/// Sums the products of taps along all dimensions.
class TapSum {
public:
  TapSum(KernelEmitter &k, Value input, ElementType type, ArrayRef<Taps> taps, Value mask)
      : k(k), input(input), type(type), taps(taps), mask(mask) {}

  /// `at` holds the coordinates before the sampled dimensions.
  Value run(ArrayRef<Index> at) {
    this->at.assign(at.begin(), at.end());
    Lanes l = k.lanes();
    sum = Arithmetic{l, type}.number(0);
    from(0, {}, {});
    return sum;
  }

private:
  void from(size_t dim, Value weight, Value counts) {
    Lanes l = k.lanes();
    Arithmetic a{l, type};
    if (dim == taps.size()) {
      Value x = convert(l, k.element(input, at, l.both(mask, counts)), k.type(input), type);
      // A tap of weight 0 omits an element, even an infinite one.
      Value isUsed = l.both(counts, l.compare(arith::CmpFPredicate::UNE, weight, a.number(0)));
      sum = a.add(sum, l.select(isUsed, a.mul(weight, x), a.number(0)));
      return;
    }
    for (const Tap &tap : taps[dim]) {
      at.push_back(tap.index);
      from(dim + 1, weight ? a.mul(weight, tap.weight) : tap.weight, l.both(counts, tap.counts));
      at.pop_back();
    }
  }

  KernelEmitter &k;
  Value input;
  ElementType type;
  ArrayRef<Taps> taps;
  Value mask;
  SmallVector<Index> at;
  Value sum;
};

//===-- grid_sample ---------------------------------------------------------===//

/// The taps of grid_sample along one spatial dimension.
class GridAxis {
public:
  GridAxis(graph::GridSampleOp op, Numbers numbers, int64_t size)
      : op(op), n(numbers), size(size), low(op.getAlignCorners() ? 0 : -0.5),
        high(static_cast<double>(size) - (op.getAlignCorners() ? 1 : 0.5)) {}

  Taps taps(Value coordinate) {
    Value x = denormalize(coordinate);
    if (op.getMode() == graph::ResizeMode::Nearest) {
      return {settleTap(round(settle(round(x))), n.of(1))};
    }
    x = settle(x);
    Value floor = n.floor(x);
    Value rest = n.a.sub(x, floor);
    if (op.getMode() == graph::ResizeMode::Linear) {
      return {settleTap(floor, n.a.sub(n.of(1), rest)), settleTap(n.a.add(floor, n.of(1)), rest)};
    }
    Taps taps;
    for (int i = -1; i <= 2; ++i) {
      Value distance = i <= 0 ? n.a.sub(rest, n.of(i)) : n.a.sub(n.of(i), rest);
      taps.push_back(settleTap(n.a.add(floor, n.of(i)), cubic(distance, i == 0 || i == 1)));
    }
    return taps;
  }

private:
  Value round(Value x) { return n.a.unary(UnaryKind::Round, x); }

  /// Maps [-1, 1] to input positions. NaN and positions far outside any tensor are moved to values
  /// that convert to integers.
  Value denormalize(Value x) {
    auto extent = static_cast<double>(size);
    Value shifted = n.a.add(x, n.of(1));
    Value position = op.getAlignCorners()
                         ? n.a.mul(n.a.mul(shifted, n.of(0.5)), n.of(extent - 1))
                         : n.a.mul(n.a.sub(n.a.mul(shifted, n.of(extent)), n.of(1)), n.of(0.5));
    constexpr double kFar = double(int64_t(1) << 50);
    Value isNan = n.l.compare(arith::CmpFPredicate::UNO, position, position);
    return n.clamp(n.l.select(isNan, n.of(-kFar), position), -kFar, kFar);
  }

  /// Moves an outside position into the input by the padding mode; zero padding does not move it.
  Value settle(Value x) {
    if (op.getPadding() == graph::SamplePadding::Zeros) {
      return x;
    }
    Value moved = op.getPadding() == graph::SamplePadding::Border
                      ? n.clamp(x, 0, static_cast<double>(size - 1))
                      : reflect(x);
    Value isInside = n.l.both(n.atMost(n.of(low), x), n.atMost(x, n.of(high)));
    return n.l.select(isInside, x, moved);
  }

  /// Mirrors x into [low, high].
  Value reflect(Value x) {
    double range = high - low;
    if (range <= 0) {
      return n.of(low);
    }
    Value distance = n.a.unary(UnaryKind::Abs, n.a.sub(x, n.of(low)));
    Value periods = n.floor(n.a.div(distance, n.of(range)));
    Value rest = n.a.sub(distance, n.a.mul(periods, n.of(range)));
    Value half = n.a.mul(periods, n.of(0.5));
    Value isOdd = n.l.compare(arith::CmpFPredicate::UNE, n.floor(half), half);
    return n.l.select(isOdd, n.a.sub(n.of(high), rest), n.a.add(n.of(low), rest));
  }

  /// Returns the tap at an integer position.
  Tap settleTap(Value x, Value weight) {
    Value isInside = n.isInside(x, size);
    if (op.getPadding() == graph::SamplePadding::Zeros) {
      return {n.index(n.l.select(isInside, x, n.of(0)), size), weight, isInside};
    }
    Value settled = n.l.select(isInside, x, settle(x));
    return {n.index(n.clamp(settled, 0, static_cast<double>(size - 1)), size), weight, {}};
  }

  /// Returns Keys' cubic kernel at a distance of 0 to 1 (`isNear`) or 1 to 2.
  Value cubic(Value x, bool isNear) {
    constexpr double kA = -0.75; // fixed by ONNX
    if (isNear) {
      Value slope = n.a.sub(n.a.mul(x, n.of(kA + 2)), n.of(kA + 3));
      return n.a.add(n.a.mul(slope, n.a.mul(x, x)), n.of(1));
    }
    Value parabola = n.a.add(n.a.mul(n.a.sub(x, n.of(5)), x), n.of(8));
    return n.a.sub(n.a.mul(n.a.mul(parabola, x), n.of(kA)), n.of(4 * kA));
  }

  graph::GridSampleOp op;
  Numbers n;
  int64_t size;
  double low, high;
};

/// Computes in f64, because the choice of the nearest element must not depend on rounding.
Value emitGridSample(graph::GridSampleOp op, KernelEmitter &k, const ElementQuery &q) {
  Lanes l = k.lanes();
  Numbers numbers(l, ElementType::F64);
  Shape shape = k.shape(op.getInput());
  int64_t rank = static_cast<int64_t>(shape.size()) - 2;
  ElementType type = k.type(op.getInput());
  if (llvm::is_contained(shape, 0)) {
    return Arithmetic{l, type}.number(0);
  }
  SmallVector<Taps> taps;
  for (int64_t d = 0; d < rank; ++d) {
    SmallVector<Index> at{q.at[0]};
    at.append(q.at.begin() + 2, q.at.end());
    // The grid stores x first, which is the last dimension.
    at.push_back(l.constant(rank - 1 - d));
    Value coordinate =
        convert(l, k.element(op.getGrid(), at, q.mask), k.type(op.getGrid()), ElementType::F64);
    taps.push_back(GridAxis(op, numbers, shape[d + 2]).taps(coordinate));
  }
  Value sum = TapSum(k, op.getInput(), ElementType::F64, taps, q.mask).run(q.at.take_front(2));
  return convert(l, sum, ElementType::F64, type);
}

// Taps are unrolled; a cubic sample of a volume has this many.
constexpr double kMaxTaps = 64;

std::string gridSampleLimit(Operation *op) {
  auto sample = cast<graph::GridSampleOp>(op);
  auto type = cast<RankedTensorType>(sample.getInput().getType());
  double perAxis = sample.getMode() == graph::ResizeMode::Nearest  ? 1
                   : sample.getMode() == graph::ResizeMode::Linear ? 2
                                                                   : 4;
  double taps = std::pow(perAxis, static_cast<double>(type.getRank() - 2));
  return taps <= kMaxTaps ? "" : "interpolates between more than 64 elements";
}

//===-- deform_conv ---------------------------------------------------------===//

/// Returns the two neighbors of a position with linear weights; zero outside.
Taps linearTaps(Numbers &n, Value position, int64_t size) {
  Value floor = n.floor(position);
  Value rest = n.a.sub(position, floor);
  Taps taps;
  for (bool isHigh : {false, true}) {
    Value x = isHigh ? n.a.add(floor, n.of(1)) : floor;
    Value isInside = n.isInside(x, size);
    Value weight = isHigh ? rest : n.a.sub(n.of(1), rest);
    taps.push_back({n.index(n.l.select(isInside, x, n.of(0)), size), weight, isInside});
  }
  return taps;
}

/// Computes one result element of a deformable convolution.
class DeformedWindow {
public:
  DeformedWindow(graph::DeformConvOp op, KernelEmitter &k, const ElementQuery &q)
      : op(op), k(k), q(q), input(k.shape(op.getInput())), weight(k.shape(op.getWeight())),
        kernel(weight.begin() + 2, weight.end()),
        type(k.type(op.getInput()) == ElementType::F64 ? ElementType::F64 : ElementType::F32) {}

  Value run() {
    Arithmetic a{k.lanes(), type};
    Value start = op.getBias() ? k.element(op.getBias(), {q.at[1]}, q.mask) : a.number(0);
    int64_t outputs = weight[0] / static_cast<int64_t>(op.getGroups());
    Index group = a.lanes.div(q.at[1], outputs);
    Index first = op.getGroups() == 1 ? a.lanes.constant(0) : a.lanes.mul(group, weight[1]);
    SmallVector<int64_t> box{weight[1]};
    box.append(kernel.begin(), kernel.end());
    Value sum = k.loops(box, {start}, [&](ArrayRef<Value> ivs, ValueRange carried) {
      Lanes l = k.lanes();
      Index channel = l.add(first, l.uniform(ivs[0]));
      SmallVector<Index> weightAt{q.at[1]};
      for (Value iv : ivs) {
        weightAt.push_back(l.uniform(iv));
      }
      Value w = k.element(op.getWeight(), weightAt, q.mask);
      Value x = sample(channel, ArrayRef<Index>(weightAt).drop_front(2));
      return SmallVector<Value>{Arithmetic{l, type}.multiplyAdd(x, w, carried[0])};
    })[0];
    return roundTo(a.lanes, k.type(op.getResult()), sum);
  }

private:
  /// Returns the input channel at the position that a kernel element samples, multiplied by the
  /// mask.
  Value sample(const Index &channel, ArrayRef<Index> tap) {
    Lanes l = k.lanes();
    Numbers n(l, type);
    int64_t perGroup = input[1] / static_cast<int64_t>(op.getOffsetGroups());
    int64_t tapCount = elementCount(kernel).value_or(0);
    Index group = op.getOffsetGroups() == 1 ? l.constant(0) : l.div(channel, perGroup);
    Index column = l.add(l.mul(group, tapCount), l.linearize(tap, kernel));
    SmallVector<Taps> taps;
    for (size_t i = 0; i < kernel.size(); ++i) {
      Index fixed = l.add(l.add(l.mul(q.at[i + 2], op.getStrides()[i]), -op.getPads()[i]),
                          l.mul(tap[i], op.getDilations()[i]));
      Value shift =
          k.element(op.getOffset(), spatialAt(l.add(l.mul(column, kernel.size()), i)), q.mask);
      Value base = convert(l, l.toValue(fixed, l.b.getI64Type()), ElementType::I64, type);
      taps.push_back(linearTaps(n, n.a.add(base, shift), input[i + 2]));
    }
    Value x = TapSum(k, op.getInput(), type, taps, q.mask).run({q.at[0], channel});
    return op.getMask() ? n.a.mul(x, k.element(op.getMask(), spatialAt(column), q.mask)) : x;
  }

  /// Returns the batch and position of the result with another channel.
  SmallVector<Index> spatialAt(const Index &channel) const {
    SmallVector<Index> at(q.at.begin(), q.at.end());
    at[1] = channel;
    return at;
  }

  graph::DeformConvOp op;
  KernelEmitter &k;
  const ElementQuery &q;
  Shape input, weight, kernel;
  ElementType type;
};

Value emitDeformConv(graph::DeformConvOp op, KernelEmitter &k, const ElementQuery &q) {
  return DeformedWindow(op, k, q).run();
}

} // namespace

void addSamplingEmitters(EmitterTable &table) {
  table.addElement<graph::GridSampleOp, emitGridSample>(gridSampleLimit);
  table.addElement<graph::DeformConvOp, emitDeformConv>();
}

} // namespace convoy::kernels
