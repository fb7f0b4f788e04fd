// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the arithmetic of graph.resize along one axis.

#include "Graph/ResizeGeometry.h"
#include <algorithm>
#include <cmath>

using namespace mlir;

namespace convoy::graph {

// Sizes and positions up to this limit are exact in int64 and in f64.
constexpr double kMaxSize = double(int64_t(1) << 48);

std::optional<int64_t> resizedSize(int64_t inputSize, float scale) {
  float size = std::floor(static_cast<float>(inputSize) * scale);
  if (!(scale > 0) || !(size < kMaxSize)) {
    return std::nullopt;
  }
  return static_cast<int64_t>(size);
}

double aspectScale(AspectPolicy policy, ArrayRef<int64_t> inputSizes, ArrayRef<int64_t> sizes) {
  double scale = 0;
  for (auto [i, size] : llvm::enumerate(sizes)) {
    double ratio = static_cast<double>(size) / static_cast<double>(inputSizes[i]);
    bool isNotLarger = policy == AspectPolicy::NotLarger;
    scale = i == 0 ? ratio : isNotLarger ? std::min(scale, ratio) : std::max(scale, ratio);
  }
  return scale;
}

int64_t aspectSize(int64_t inputSize, double scale) {
  return static_cast<int64_t>(std::min(static_cast<double>(inputSize) * scale + 0.5, kMaxSize));
}

SmallVector<ResizeAxis> resizeAxes(ResizeOp op, ArrayRef<int64_t> input, ArrayRef<int64_t> result,
                                   const ResizeOperands &operands) {
  ArrayRef<int64_t> axes = op.getAxes();
  Shape inputSizes;
  for (int64_t axis : axes) {
    inputSizes.push_back(input[axis]);
  }
  double common = 0;
  if (operands.sizes && op.getAspect() != AspectPolicy::Stretch) {
    common = aspectScale(op.getAspect(), inputSizes, operands.sizes->ints());
  }
  SmallVector<ResizeAxis> resized;
  for (auto [i, axis] : llvm::enumerate(axes)) {
    ResizeAxis a;
    a.inputSize = inputSizes[i];
    a.outputSize = result[axis];
    a.scale = operands.scales ? operands.scales->asDouble(i)
              : common != 0   ? common
                            : static_cast<double>(a.outputSize) / static_cast<double>(a.inputSize);
    if (operands.roi && op.getCoordinates() == CoordinateMode::TfCropAndResize) {
      a.roiBegin = operands.roi->asDouble(i);
      a.roiEnd = operands.roi->asDouble(i + axes.size());
    }
    resized.push_back(a);
  }
  return resized;
}

double cubicWeight(double x, double a) {
  x = std::abs(x);
  if (x <= 1) {
    return ((a + 2) * x - (a + 3)) * x * x + 1;
  }
  return x < 2 ? ((x - 5) * x + 8) * a * x - 4 * a : 0;
}

/// Returns the size of the result before rounding down to an integer.
static double exactSize(const ResizeAxis &axis) {
  return axis.scale * static_cast<double>(axis.inputSize);
}

/// Returns the input coordinate of result position x.
static double sourceCoordinate(CoordinateMode mode, const ResizeAxis &axis, double x) {
  double input = axis.inputSize;
  double last = input - 1;
  switch (mode) {
  case CoordinateMode::HalfPixel:
    return (x + 0.5) / axis.scale - 0.5;
  case CoordinateMode::HalfPixelSymmetric: {
    // Maps the center of the input to the center of the result, even if the
    // size of the result was rounded.
    double adjustment = static_cast<double>(axis.outputSize) / exactSize(axis);
    return input / 2 * (1 - adjustment) + (x + 0.5) / axis.scale - 0.5;
  }
  case CoordinateMode::PytorchHalfPixel:
    return axis.outputSize > 1 ? (x + 0.5) / axis.scale - 0.5 : 0;
  case CoordinateMode::AlignCorners:
    return axis.outputSize > 1 ? x * last / (exactSize(axis) - 1) : 0;
  case CoordinateMode::Asymmetric:
    return x / axis.scale;
  case CoordinateMode::TfHalfPixelForNN:
    return (x + 0.5) / axis.scale;
  case CoordinateMode::TfCropAndResize: {
    double extent = (axis.roiEnd - axis.roiBegin) * last;
    return axis.roiBegin * last + (axis.outputSize > 1
                                       ? x * extent / static_cast<double>(axis.outputSize - 1)
                                       : extent / 2);
  }
  }
  llvm_unreachable("unknown coordinate mode");
}

static double nearest(NearestMode mode, double x) {
  switch (mode) {
  case NearestMode::RoundPreferFloor:
    return std::ceil(x - 0.5);
  case NearestMode::RoundPreferCeil:
    return std::floor(x + 0.5);
  case NearestMode::Floor:
    return std::floor(x);
  case NearestMode::Ceil:
    return std::ceil(x);
  }
  llvm_unreachable("unknown nearest mode");
}

/// Returns the weights of all input positions within `radius` of x, computed by
/// `weightAt(distance)`. Positions outside the input repeat the border, or are
/// excluded if the op requests it.
template <typename Fn>
static SmallVector<Tap, 4> weigh(ResizeOp op, int64_t inputSize, double x, double radius,
                                 Fn weightAt) {
  SmallVector<Tap, 4> taps;
  double sum = 0;
  int64_t end = static_cast<int64_t>(std::ceil(x + radius));
  for (int64_t i = static_cast<int64_t>(std::floor(x - radius)); i <= end; ++i) {
    bool isOutside = i < 0 || i >= inputSize;
    double weight = weightAt(static_cast<double>(i) - x);
    if (weight == 0 || (isOutside && op.getExcludeOutside())) {
      continue;
    }
    sum += weight;
    taps.push_back({std::clamp<int64_t>(i, 0, inputSize - 1), weight});
  }
  for (Tap &tap : taps) {
    tap.weight /= sum;
  }
  return taps;
}

static Taps tapsOf(ResizeOp op, const ResizeAxis &axis, int64_t position) {
  double x = sourceCoordinate(op.getCoordinates(), axis, static_cast<double>(position));
  double last = static_cast<double>(axis.inputSize - 1);
  if (op.getCoordinates() == CoordinateMode::TfCropAndResize && !(x >= 0 && x <= last)) {
    return {};
  }
  // Beyond this distance from the input, only border positions remain.
  x = std::clamp(std::isnan(x) ? 0 : x, -last - 2, 2 * last + 2);
  if (op.getMode() == ResizeMode::Nearest) {
    double index = std::clamp(nearest(op.getNearest(), x), 0.0, last);
    return {{static_cast<int64_t>(index), 1}};
  }
  // Antialiasing widens the kernel if the input has more positions than the
  // result, so that every input position contributes.
  double shrink = op.getAntialias() ? std::min(axis.scale, 1.0) : 1.0;
  if (op.getMode() == ResizeMode::Linear) {
    return weigh(op, axis.inputSize, x, 1 / shrink,
                 [&](double distance) { return std::max(0.0, 1 - std::abs(distance) * shrink); });
  }
  double a = op.getCubicCoefficient().convertToDouble();
  return weigh(op, axis.inputSize, x, 2 / shrink,
               [&](double distance) { return cubicWeight(distance * shrink, a); });
}

std::vector<Taps> resizeTaps(ResizeOp op, const ResizeAxis &axis) {
  std::vector<Taps> table;
  for (int64_t x = 0; x < axis.outputSize; ++x) {
    table.push_back(tapsOf(op, axis, x));
  }
  return table;
}

bool isIdentity(ArrayRef<Taps> table, int64_t inputSize) {
  if (static_cast<int64_t>(table.size()) != inputSize) {
    return false;
  }
  for (auto [x, taps] : llvm::enumerate(table)) {
    if (taps.size() != 1 || taps[0].index != static_cast<int64_t>(x) || taps[0].weight != 1) {
      return false;
    }
  }
  return true;
}

} // namespace convoy::graph
