// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates ops that sample at computed positions: resize and grid_sample.
// Regions.cpp evaluates regions of interest.

#include "Graph/ResizeGeometry.h"
#include "reference/Elements.h"
#include "reference/Odometer.h"
#include "reference/Regions.h"
#include <cmath>
#include <cstring>

using namespace mlir;

namespace convoy::reference {
namespace {

using graph::Tap;
using graph::Taps;

/// Returns scales, sizes and regions of all axes of a resize.
SmallVector<graph::ResizeAxis> axesOf(graph::ResizeOp op, Evaluation &e, const Tensor &input,
                                      const Tensor &result) {
  auto operand = [&](Value value) { return value ? &e.input(value) : nullptr; };
  return graph::resizeAxes(op, input.shape(), result.shape(),
                           {operand(op.getRoi()), operand(op.getScales()), operand(op.getSizes())});
}

/// Resamples one axis; values stay in double until all axes are done.
std::vector<double> resample(const std::vector<double> &input, MutableArrayRef<int64_t> shape,
                             int64_t axis, ArrayRef<Taps> table, double extrapolation) {
  int64_t inner = product(ArrayRef<int64_t>(shape).drop_front(axis + 1));
  int64_t outer = product(ArrayRef<int64_t>(shape).take_front(axis));
  int64_t inputSize = shape[axis];
  int64_t outputSize = table.size();
  std::vector<double> result(outer * outputSize * inner);
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t x = 0; x < outputSize; ++x) {
      double *to = result.data() + (o * outputSize + x) * inner;
      if (table[x].empty()) {
        std::fill(to, to + inner, extrapolation);
      }
      for (const Tap &tap : table[x]) {
        const double *from = input.data() + (o * inputSize + tap.index) * inner;
        for (int64_t i = 0; i < inner; ++i) {
          to[i] += tap.weight * from[i];
        }
      }
    }
  }
  shape[axis] = outputSize;
  return result;
}

/// Returns the order of axes that minimizes the size of the intermediate
/// tensors.
SmallVector<size_t> shrinkingFirst(const Tensor &input, const Tensor &result,
                                   ArrayRef<int64_t> axes) {
  auto growth = [&](size_t i) {
    return static_cast<double>(result.dim(axes[i])) / static_cast<double>(input.dim(axes[i]));
  };
  SmallVector<size_t> order(llvm::to_vector(llvm::seq<size_t>(0, axes.size())));
  llvm::sort(order, [&](size_t a, size_t b) {
    return growth(a) < growth(b) || (growth(a) == growth(b) && a < b);
  });
  return order;
}

/// Copies whole elements, so that integers of any width stay exact.
void resizeNearest(const Tensor &input, Tensor &result, ArrayRef<int64_t> axes,
                   ArrayRef<std::vector<Taps>> tables, double extrapolation) {
  Shape strides = stridesOf(input.shape());
  SmallVector<std::vector<int64_t>> offsets(input.rank()); // -1 marks a position outside the input
  for (int64_t d = 0; d < input.rank(); ++d) {
    for (int64_t x = 0; x < result.dim(d); ++x) {
      offsets[d].push_back(x * strides[d]);
    }
  }
  for (auto [axis, table] : llvm::zip(axes, tables)) {
    for (auto [x, taps] : llvm::enumerate(table)) {
      offsets[axis][x] = taps.empty() ? -1 : taps[0].index * strides[axis];
    }
  }
  int64_t bytes = storageBytes(input.type());
  const char *from = static_cast<const char *>(input.raw());
  char *to = static_cast<char *>(result.mutableRaw());
  Shape index(input.rank(), 0);
  for (int64_t i = 0; i < result.size(); ++i, advance(index, result.shape())) {
    int64_t offset = 0;
    bool isInside = true;
    for (int64_t d = 0; d < input.rank(); ++d) {
      isInside &= offsets[d][index[d]] >= 0;
      offset += offsets[d][index[d]];
    }
    if (isInside) {
      std::memcpy(to + i * bytes, from + offset * bytes, bytes);
    } else {
      result.setDouble(i, extrapolation);
    }
  }
}

} // namespace

static LogicalResult evaluateResize(graph::ResizeOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  Tensor &result = e.output();
  if (result.isEmpty()) {
    return success();
  }
  ArrayRef<int64_t> axes = op.getAxes();
  double extrapolation = op.getExtrapolation().convertToDouble();
  SmallVector<std::vector<Taps>> tables;
  for (const graph::ResizeAxis &axis : axesOf(op, e, input, result)) {
    tables.push_back(graph::resizeTaps(op, axis));
  }
  if (op.getMode() == graph::ResizeMode::Nearest) {
    resizeNearest(input, result, axes, tables, extrapolation);
    return success();
  }
  Elements<double> elements(input);
  std::vector<double> values(elements.data(), elements.data() + input.size());
  Shape shape(input.shape());
  for (size_t i : shrinkingFirst(input, result, axes)) {
    if (!graph::isIdentity(tables[i], shape[axes[i]])) {
      values = resample(values, shape, axes[i], tables[i], extrapolation);
    }
  }
  for (int64_t i = 0; i < result.size(); ++i) {
    result.setDouble(i, values[i]);
  }
  return success();
}

namespace {

/// Clamps a coordinate, which may be NaN or beyond any tensor, to a range that
/// converts to an integer.
double bounded(double x) {
  constexpr double kFar = double(int64_t(1) << 50);
  return std::isnan(x) ? -kFar : std::clamp(x, -kFar, kFar);
}

/// Reflects x into [low, high].
double reflect(double x, double low, double high) {
  double range = high - low;
  if (range <= 0) {
    return low;
  }
  double distance = x < low ? low - x : x - low;
  double periods = std::floor(distance / range);
  double rest = distance - periods * range;
  bool isOdd = std::fmod(periods, 2) != 0;
  return isOdd ? high - rest : low + rest;
}

/// How grid_sample reads along one spatial dimension.
struct GridAxis {
  graph::ResizeMode mode;
  graph::SamplePadding padding;
  bool alignCorners;
  int64_t size;

  double low() const { return alignCorners ? 0 : -0.5; }
  double high() const { return static_cast<double>(size) - (alignCorners ? 1 : 0.5); }

  /// Converts [-1, 1] to input positions.
  double denormalize(double x) const {
    double n = static_cast<double>(size);
    return bounded(alignCorners ? (x + 1) / 2 * (n - 1) : ((x + 1) * n - 1) / 2);
  }

  /// Maps a position outside the input according to the padding mode; zeros
  /// leaves it unchanged.
  double settle(double x) const {
    if (x >= low() && x <= high()) {
      return x;
    }
    switch (padding) {
    case graph::SamplePadding::Zeros:
      return x;
    case graph::SamplePadding::Border:
      return std::clamp(x, 0.0, static_cast<double>(size - 1));
    case graph::SamplePadding::Reflection:
      return reflect(x, low(), high());
    }
    llvm_unreachable("unknown padding");
  }

  /// Returns the input position of a tap, or -1 for a zero.
  int64_t settleTap(double x) const {
    if (x >= 0 && x < static_cast<double>(size)) {
      return static_cast<int64_t>(x);
    }
    if (padding == graph::SamplePadding::Zeros) {
      return -1;
    }
    return std::clamp<int64_t>(static_cast<int64_t>(settle(x)), 0, size - 1);
  }

  Taps taps(double coordinate) const {
    double x = denormalize(coordinate);
    Taps taps;
    if (mode == graph::ResizeMode::Nearest) {
      addTap(taps, std::nearbyint(settle(std::nearbyint(x))), 1);
      return taps;
    }
    x = settle(x);
    double floor = std::floor(x);
    double rest = x - floor;
    if (mode == graph::ResizeMode::Linear) {
      addTap(taps, floor, 1 - rest);
      addTap(taps, floor + 1, rest);
      return taps;
    }
    constexpr double kCubic = -0.75; // specified by ONNX
    for (int i = -1; i <= 2; ++i) {
      addTap(taps, floor + i, graph::cubicWeight(rest - i, kCubic));
    }
    return taps;
  }

  /// Merges taps at the same position. The number of taps per dimension is then
  /// at most its size, and the number of taps of all dimensions is at most the
  /// number of input elements, for any rank.
  void addTap(Taps &taps, double x, double weight) const {
    int64_t index = settleTap(x);
    for (Tap &tap : taps) {
      if (tap.index == index) {
        tap.weight += weight;
        return;
      }
    }
    taps.push_back({index, weight});
  }
};

/// Returns the weighted sum over the product of the taps of all dimensions.
double sampleGrid(const double *plane, ArrayRef<int64_t> sizes, ArrayRef<Taps> taps, double weight,
                  int64_t offset) {
  if (sizes.empty()) {
    return weight * plane[offset];
  }
  double sum = 0;
  for (const Tap &tap : taps.front()) {
    if (tap.index >= 0 && tap.weight != 0) {
      sum += sampleGrid(plane, sizes.drop_front(), taps.drop_front(), weight * tap.weight,
                        offset * sizes.front() + tap.index);
    }
  }
  return sum;
}

} // namespace

static LogicalResult evaluateGridSample(graph::GridSampleOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  const Tensor &grid = e.input(op.getGrid());
  Tensor &result = e.output();
  ArrayRef<int64_t> sizes = input.shape().drop_front(2);
  if (result.isEmpty() || llvm::is_contained(sizes, 0)) {
    return success(); // An empty input has no samples: the result is all zeros.
  }
  Elements<double> x(input);
  int64_t rank = sizes.size();
  int64_t channels = input.dim(1);
  int64_t plane = product(sizes);
  int64_t points = product(result.shape().drop_front(2));
  SmallVector<Taps> taps(rank);
  for (int64_t point = 0; point < result.dim(0) * points; ++point) {
    for (int64_t d = 0; d < rank; ++d) {
      // The grid stores x first, which is the last dimension.
      GridAxis axis{op.getMode(), op.getPadding(), op.getAlignCorners(), sizes[d]};
      taps[d] = axis.taps(grid.asDouble(point * rank + rank - 1 - d));
    }
    int64_t batch = point / points;
    for (int64_t c = 0; c < channels; ++c) {
      int64_t at = batch * channels + c;
      result.setDouble(at * points + point % points,
                       sampleGrid(x.data() + at * plane, sizes, taps, 1, 0));
    }
  }
  return success();
}

void addSamplingEvaluators(EvaluatorTable &table) {
  table.add<graph::ResizeOp, evaluateResize>();
  table.add<graph::GridSampleOp, evaluateGridSample>();
  table.add<graph::RoiAlignOp, evaluateRoiAlign>();
  table.add<graph::MaxRoiPoolOp, evaluateMaxRoiPool>();
  table.add<graph::NonMaxSuppressionOp, evaluateNonMaxSuppression>();
  table.add<graph::BoundedSuppressionOp, evaluateBoundedSuppression>();
}

} // namespace convoy::reference
