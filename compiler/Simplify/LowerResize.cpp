// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers graph.resize. A resize is separable, so the lowering has one step per
// axis: it gathers the taps of every result position, multiplies them by weights
// and sums them.
//
//     %g = graph.gather %x, %taps {axis = 2}     N x C x out x K x W
//     %p = graph.binary mul %g, %weights         weights: out x K x 1
//     %y = graph.reduce sum %p over 3            N x C x out x W
//
// If a position has few taps, each tap has its own gather, and additions replace the reduction.
//
// Taps and weights are constants. If the region of tf_crop_and_resize is known only
// at run time, they are computed from the region.

#include "Simplify/LowerResize.h"
#include "Graph/ResizeGeometry.h"
#include "Support/TypedDiagnostic.h"

using namespace mlir;

namespace convoy::simplify {

using namespace graph;
namespace {

/// Positions with at most this many taps are summed without a reduction: the lanes of a kernel then
/// read adjacent indices and weights.
constexpr size_t kMostSeparateTaps = 4;

/// One tap of all positions: indices and weights, one per position.
struct TapColumn {
  Value indices, weights;
};

/// The taps of one axis. Either `columns` or `indices` are set.
struct AxisTaps {
  SmallVector<TapColumn> columns;
  Value indices;  // out x K, or out if each position has one tap of weight 1
  Value weights;  // out x K, or null
  Value isInside; // out; null if no position is extrapolated
  bool mayHaveZeroWeights = false;
};

/// Returns the type of weights and sums. For integers, which are truncated at the
/// end, it is the type that the reference interpreter uses.
ElementType sumType(ElementType type) {
  return !isFloat(type) || type == ElementType::F64 ? ElementType::F64 : ElementType::F32;
}

/// Pads the taps of a position to `count`. A tap of weight 0 would turn an infinite
/// element into NaN, so the function splits the weight of the last tap instead.
void fillUp(Taps &taps, size_t count) {
  if (taps.empty()) {
    taps.push_back({0, 1}); // Outside the input: any tap is valid, because the mask discards it.
  }
  while (taps.size() < count) {
    taps.back().weight /= 2;
    taps.push_back(taps.back());
  }
}

/// Returns the type of indices into a dimension.
ElementType indexType(int64_t size) {
  return size <= std::numeric_limits<int32_t>::max() ? ElementType::I32 : ElementType::I64;
}

/// Returns column i of a table of `count` taps per position.
TapColumn columnOf(TypedBuilder &b, const std::vector<Taps> &table, size_t i, ElementType index,
                   ElementType type) {
  int64_t size = table.size();
  Tensor indices(index, {size});
  Tensor weights(type, {size});
  for (auto [x, taps] : llvm::enumerate(table)) {
    indices.setInt(x, taps[i].index);
    weights.setDouble(x, taps[i].weight);
  }
  return {b.constant(indices), b.constant(weights)};
}

/// Sets the mask of the positions inside the input, if there are others, and gives all positions
/// the same number of taps. Returns this number.
size_t fillUpAll(TypedBuilder &b, std::vector<Taps> &table, AxisTaps &result) {
  Tensor isInside(ElementType::Bool, {static_cast<int64_t>(table.size())});
  size_t count = 1;
  bool isAllInside = true;
  for (auto [x, taps] : llvm::enumerate(table)) {
    count = std::max(count, taps.size());
    isInside.setInt(x, !taps.empty());
    isAllInside &= !taps.empty();
  }
  for (Taps &taps : table) {
    fillUp(taps, count);
  }
  result.isInside = isAllInside ? Value() : b.constant(isInside);
  return count;
}

/// Returns the taps of one axis of `inputSize` elements as constants.
AxisTaps constantTaps(TypedBuilder &b, std::vector<Taps> table, int64_t inputSize,
                      ElementType type) {
  AxisTaps result;
  size_t count = fillUpAll(b, table, result);
  bool isWeighted =
      llvm::any_of(table, [&](const Taps &taps) { return count > 1 || taps[0].weight != 1; });
  ElementType index = indexType(inputSize);
  if (isWeighted && count <= kMostSeparateTaps) {
    for (size_t i = 0; i < count; ++i) {
      result.columns.push_back(columnOf(b, table, i, index, type));
    }
    return result;
  }
  int64_t size = table.size(), width = count;
  Tensor indices(index, {size, width});
  Tensor weights(type, {size, width});
  for (auto [x, taps] : llvm::enumerate(table)) {
    for (auto [i, tap] : llvm::enumerate(taps)) {
      indices.setInt(x * count + i, tap.index);
      weights.setDouble(x * count + i, tap.weight);
    }
  }
  result.indices = b.constant(isWeighted ? indices : indices.reshaped({size}));
  result.weights = isWeighted ? b.constant(weights) : Value();
  return result;
}

/// Computes the taps of one axis of tf_crop_and_resize from the region at run time.
class RegionTaps {
public:
  RegionTaps(TypedBuilder &b, ResizeOp op, const ResizeAxis &axis, size_t number)
      : b(b), op(op), axis(axis), last(static_cast<double>(axis.inputSize - 1)) {
    x = coordinate(static_cast<int64_t>(number));
  }

  AxisTaps build(ElementType type) {
    AxisTaps result;
    result.isInside = within(x);
    // Positions outside the input read an arbitrary valid element.
    x = b.select(result.isInside, x, number(0));
    if (op.getMode() == ResizeMode::Nearest) {
      result.indices = b.cast(clamp(nearest()), ElementType::I64);
      return result;
    }
    Value index = neighbors();
    Value weight = weigh(b.sub(index, b.reshape(x, {axis.outputSize, 1})));
    if (op.getExcludeOutside()) {
      weight = b.select(within(index), weight, number(0));
    }
    result.indices = b.cast(clamp(index), ElementType::I64);
    result.weights = b.cast(b.div(weight, b.reduce(ReduceKind::Sum, weight, {1})), type);
    result.mayHaveZeroWeights = true;
    return result;
  }

private:
  Value number(double value) { return b.constant(Tensor::scalar(ElementType::F64, value)); }
  Value times(Value value, double factor) { return b.mul(value, number(factor)); }
  Value within(Value position) {
    return b.binary(BinaryKind::And, b.binary(BinaryKind::GreaterEqual, position, number(0)),
                    b.binary(BinaryKind::LessEqual, position, number(last)));
  }
  Value clamp(Value position) {
    return b.binary(BinaryKind::Min, b.binary(BinaryKind::Max, position, number(0)), number(last));
  }

  /// Computes sourceCoordinate of ResizeGeometry.cpp.
  Value coordinate(int64_t i) {
    auto entry = [&](int64_t at) {
      Value one = b.reshape(b.slice(op.getRoi(), 0, at, at + 1), {});
      return b.cast(one, ElementType::F64);
    };
    Value begin = entry(i);
    Value end = entry(i + static_cast<int64_t>(op.getAxes().size()));
    Value extent = times(b.sub(end, begin), last);
    int64_t size = axis.outputSize;
    Value steps = b.cast(b.iota(size, {size}), ElementType::F64);
    Value offset = size > 1 ? b.div(b.mul(steps, extent), number(static_cast<double>(size - 1)))
                            : b.add(steps, times(extent, 0.5));
    return b.add(times(begin, last), offset);
  }

  Value nearest() {
    switch (op.getNearest()) {
    case NearestMode::RoundPreferFloor:
      return b.unary(UnaryKind::Ceil, b.sub(x, number(0.5)));
    case NearestMode::RoundPreferCeil:
      return b.unary(UnaryKind::Floor, b.add(x, number(0.5)));
    case NearestMode::Floor:
      return b.unary(UnaryKind::Floor, x);
    case NearestMode::Ceil:
      return b.unary(UnaryKind::Ceil, x);
    }
    llvm_unreachable("unknown nearest mode");
  }

  /// Returns the positions around x, out x K.
  Value neighbors() {
    int64_t count = op.getMode() == ResizeMode::Linear ? 2 : 4;
    Value floor = b.reshape(b.unary(UnaryKind::Floor, x), {axis.outputSize, 1});
    Value steps = b.cast(b.iota(count, {1, count}), ElementType::F64);
    return b.add(floor, b.sub(steps, number(count == 2 ? 0 : 1)));
  }

  /// Returns the weight of a tap for its distance; cubic uses the formula of
  /// cubicWeight.
  Value weigh(Value signedDistance) {
    Value distance = b.unary(UnaryKind::Abs, signedDistance);
    if (op.getMode() == ResizeMode::Linear) {
      return b.binary(BinaryKind::Max, b.sub(number(1), distance), number(0));
    }
    double a = op.getCubicCoefficient().convertToDouble();
    Value square = b.mul(distance, distance);
    Value near = b.add(b.mul(b.sub(times(distance, a + 2), number(a + 3)), square), number(1));
    Value parabola = b.add(b.mul(b.sub(distance, number(5)), distance), number(8));
    Value far = b.sub(times(b.mul(parabola, distance), a), number(4 * a));
    far = b.select(b.binary(BinaryKind::Less, distance, number(2)), far, number(0));
    return b.select(b.binary(BinaryKind::LessEqual, distance, number(1)), near, far);
  }

  TypedBuilder &b;
  ResizeOp op;
  const ResizeAxis &axis;
  double last;
  Value x; // the input coordinate of each result position
};

/// Reshapes `values`, whose first dimension is `axis`, with trailing dimensions of
/// size 1 so that it broadcasts over a tensor of `rank`.
Value along(TypedBuilder &b, Value values, int64_t axis, int64_t rank) {
  SmallVector<int64_t> shape(cast<RankedTensorType>(values.getType()).getShape());
  shape.append(rank - axis - shape.size(), 1);
  return b.reshape(values, shape);
}

/// Returns the sum of the taps of one axis, each from its own gather.
Value sumOfColumns(TypedBuilder &b, Value x, int64_t axis, ArrayRef<TapColumn> columns) {
  int64_t rank = cast<RankedTensorType>(x.getType()).getRank();
  Value sum;
  for (const TapColumn &column : columns) {
    Value tap = b.emit<GatherOp>(x, column.indices, axis);
    Value part = b.mul(tap, along(b, column.weights, axis, rank));
    sum = sum ? b.add(sum, part) : part;
  }
  return sum;
}

/// Resamples one axis.
Value resample(TypedBuilder &b, Value x, int64_t axis, const AxisTaps &taps, double extrapolation) {
  int64_t rank = cast<RankedTensorType>(x.getType()).getRank();
  Value y = taps.columns.empty() ? b.emit<GatherOp>(x, taps.indices, axis)
                                 : sumOfColumns(b, x, axis, taps.columns);
  if (taps.weights) {
    Value weights = along(b, taps.weights, axis, rank + 1);
    y = b.mul(y, weights);
    if (taps.mayHaveZeroWeights) {
      // Weight 0 excludes an element even if it is infinite.
      Value zero = b.scalarLike(y, 0);
      y = b.select(b.binary(BinaryKind::Equal, weights, zero), zero, y);
    }
    y = b.emit<ReduceOp>(ReduceKind::Sum, y, b.ints({axis + 1}), /*keepDims=*/false,
                         /*noopWithEmptyAxes=*/true);
  }
  if (taps.isInside) {
    y = b.select(along(b, taps.isInside, axis, rank), y, b.scalarLike(y, extrapolation));
  }
  return y;
}

/// Converts back to the element type. Integers saturate, because cubic weights
/// overshoot.
Value narrow(TypedBuilder &b, Value x, ElementType type) {
  if (isInteger(type) && bitWidth(type) >= 8 && bitWidth(type) <= 32) {
    int64_t bits = bitWidth(type);
    bool isSigned = isSignedInteger(type);
    double highest = static_cast<double>((int64_t(1) << (isSigned ? bits - 1 : bits)) - 1);
    double lowest = isSigned ? -highest - 1 : 0;
    x = b.binary(BinaryKind::Min, x, b.scalarLike(x, highest));
    x = b.binary(BinaryKind::Max, x, b.scalarLike(x, lowest));
  }
  return b.cast(x, type);
}

/// Returns the order of axes that minimizes the size of the intermediate tensors.
SmallVector<size_t> shrinkingFirst(ArrayRef<ResizeAxis> axes) {
  auto growth = [&](size_t i) {
    return static_cast<double>(axes[i].outputSize) / static_cast<double>(axes[i].inputSize);
  };
  SmallVector<size_t> order(llvm::to_vector(llvm::seq<size_t>(0, axes.size())));
  llvm::sort(order, [&](size_t a, size_t b) {
    return growth(a) < growth(b) || (growth(a) == growth(b) && a < b);
  });
  return order;
}

/// Returns whether each position reads the input position of the same index, by the formulas of
/// the coordinates. Needs no table.
bool keepsPositions(ResizeOp op, const ResizeAxis &axis) {
  CoordinateMode mode = op.getCoordinates();
  bool isExact = mode == CoordinateMode::HalfPixel || mode == CoordinateMode::Asymmetric;
  return isExact && axis.inputSize == axis.outputSize && axis.scale == 1;
}

/// Fails if the table of an axis has more taps than a compiler can hold.
LogicalResult checkTaps(ResizeOp op, ArrayRef<ResizeAxis> axes) {
  constexpr double kMostTaps = 1 << 24; // a tap takes about 80 bytes in the compiler
  for (const ResizeAxis &axis : axes) {
    double width = op.getMode() == ResizeMode::Nearest  ? 1
                   : op.getMode() == ResizeMode::Linear ? 2
                                                        : 4;
    double stretch = op.getAntialias() && axis.scale < 1 ? 1 / axis.scale : 1;
    double taps = static_cast<double>(axis.outputSize) * std::max(1.0, width * stretch / 4);
    if (taps > kMostTaps && !keepsPositions(op, axis)) {
      return emitUnsupported(op.getLoc())
             << "not supported: resizes a dimension of " << axis.inputSize << " to "
             << axis.outputSize << " elements, which needs a table of "
             << static_cast<int64_t>(taps) << " entries, expected at most "
             << static_cast<int64_t>(kMostTaps) << "; resize parts of the tensor";
    }
  }
  return success();
}

} // namespace

std::optional<SmallVector<Value>> lowerResize(TypedBuilder &b, ResizeOp op) {
  auto input = dyn_cast<RankedTensorType>(op.getInput().getType());
  auto result = dyn_cast<RankedTensorType>(op.getResult().getType());
  if (!input || !result || !input.hasStaticShape() || !result.hasStaticShape() ||
      input.getNumElements() == 0 || result.getNumElements() == 0) {
    return std::nullopt;
  }
  auto known = [](Value value) { return value ? constantValue(value) : std::nullopt; };
  std::optional<Tensor> roi = known(op.getRoi());
  std::optional<Tensor> scales = known(op.getScales());
  std::optional<Tensor> sizes = known(op.getSizes());
  bool isCropped = op.getCoordinates() == CoordinateMode::TfCropAndResize && !roi;
  bool needsSizes = op.getSizes() && op.getAspect() != AspectPolicy::Stretch;
  if ((op.getScales() && !scales) || (needsSizes && !sizes) || (isCropped && op.getAntialias())) {
    return std::nullopt;
  }
  auto pointer = [](std::optional<Tensor> &tensor) { return tensor ? &*tensor : nullptr; };
  SmallVector<ResizeAxis> axes =
      resizeAxes(op, input.getShape(), result.getShape(),
                 {pointer(roi), pointer(scales), needsSizes ? pointer(sizes) : nullptr});
  if (!isCropped && failed(checkTaps(op, axes))) {
    b.hasFailed = true;
    return std::nullopt;
  }
  ElementType type = b.element(op.getInput());
  bool isNearest = op.getMode() == ResizeMode::Nearest;
  ElementType wide = isNearest ? type : sumType(type);
  double extrapolation = op.getExtrapolation().convertToDouble();
  Value x = b.cast(op.getInput(), wide);
  for (size_t i : shrinkingFirst(axes)) {
    if (isCropped) {
      AxisTaps taps = RegionTaps(b, op, axes[i], i).build(wide);
      x = resample(b, x, op.getAxes()[i], taps, extrapolation);
      continue;
    }
    if (keepsPositions(op, axes[i])) {
      continue;
    }
    std::vector<Taps> table = resizeTaps(op, axes[i]);
    if (!isIdentity(table, axes[i].inputSize)) {
      AxisTaps taps = constantTaps(b, std::move(table), axes[i].inputSize, wide);
      x = resample(b, x, op.getAxes()[i], taps, extrapolation);
    }
  }
  return {{isNearest ? x : narrow(b, x, type)}};
}

} // namespace convoy::simplify
