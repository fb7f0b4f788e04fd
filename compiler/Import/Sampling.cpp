// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports Resize, Upsample, GridSample, AffineGrid and ops on regions of
// interest.

#include "Import/OpTable.h"

using namespace mlir;

namespace convoy::import {
namespace {

/// The attributes of graph.resize, with the defaults of opsets before 11.
struct ResizeAttributes {
  graph::ResizeMode mode = graph::ResizeMode::Nearest;
  graph::CoordinateMode coordinates = graph::CoordinateMode::Asymmetric;
  graph::NearestMode nearest = graph::NearestMode::Floor;
  graph::AspectPolicy aspect = graph::AspectPolicy::Stretch;
  double cubicCoefficient = -0.75;
  bool excludeOutside = false;
  bool antialias = false;
  double extrapolation = 0;
};

/// Reads an attribute that holds ONNX's name of an enum case.
template <typename Enum>
FailureOr<Enum> enumAttr(NodeContext &n, StringRef name, StringRef otherwise,
                         std::optional<Enum> (*symbolize)(StringRef), StringRef choices) {
  std::string text = n.stringAttr(name, otherwise);
  std::optional<Enum> value = symbolize(text);
  if (value) {
    return *value;
  }
  return FailureOr<Enum>(n.error() << "has " << name << " '" << text << "', expected " << choices);
}

/// Reads the attributes of Resize and Upsample before opset 11, which have only
/// a mode. Mode nearest takes the lower neighbor. Older models write
/// `bilinear`.
FailureOr<ResizeAttributes> readOldResize(NodeContext &n) {
  ResizeAttributes result;
  std::string mode = n.stringAttr("mode", "nearest");
  if (mode == "linear" || mode == "bilinear") {
    result.mode = graph::ResizeMode::Linear;
  } else if (mode != "nearest") {
    return FailureOr<ResizeAttributes>(n.error()
                                       << "has mode '" << mode << "', expected nearest or linear");
  }
  return result;
}

FailureOr<ResizeAttributes> readResize(NodeContext &n) {
  auto mode = enumAttr<graph::ResizeMode>(n, "mode", "nearest", graph::symbolizeResizeMode,
                                          "nearest, linear or cubic");
  auto coordinates = enumAttr<graph::CoordinateMode>(
      n, "coordinate_transformation_mode", "half_pixel", graph::symbolizeCoordinateMode,
      "half_pixel, half_pixel_symmetric, pytorch_half_pixel, align_corners, asymmetric, "
      "tf_half_pixel_for_nn or tf_crop_and_resize");
  auto nearest = enumAttr<graph::NearestMode>(
      n, "nearest_mode", "round_prefer_floor", graph::symbolizeNearestMode,
      "round_prefer_floor, round_prefer_ceil, floor or ceil");
  auto aspect = enumAttr<graph::AspectPolicy>(n, "keep_aspect_ratio_policy", "stretch",
                                              graph::symbolizeAspectPolicy,
                                              "stretch, not_larger or not_smaller");
  if (failed(mode) || failed(coordinates) || failed(nearest) || failed(aspect)) {
    return failure();
  }
  ResizeAttributes result{*mode, *coordinates, *nearest, *aspect};
  result.cubicCoefficient = n.floatAttr("cubic_coeff_a", -0.75);
  result.excludeOutside = n.intAttr("exclude_outside", 0) != 0;
  result.antialias = n.intAttr("antialias", 0) != 0;
  result.extrapolation = n.floatAttr("extrapolation_value", 0);
  return result;
}

Value emitResize(NodeContext &n, Value x, Value roi, Value scales, Value sizes,
                 ArrayRef<int64_t> axes, const ResizeAttributes &attributes) {
  return n.emit<graph::ResizeOp>(
      x, roi, scales, sizes, axes, attributes.mode, attributes.coordinates, attributes.nearest,
      attributes.aspect, llvm::APFloat(attributes.cubicCoefficient), attributes.excludeOutside,
      attributes.antialias, llvm::APFloat(attributes.extrapolation));
}

/// Returns whether an input is present. Old exporters write an empty tensor for
/// an absent input.
bool isGiven(NodeContext &n, Value value) {
  return value && !(n.hasRank(value) && llvm::is_contained(*n.shape(value), 0));
}

/// Returns the normalized attribute `axes`, or all dimensions if the node omits
/// it.
FailureOr<Shape> readAxes(NodeContext &n, Value x) {
  FailureOr<int64_t> rank = n.rank(x);
  if (failed(rank)) {
    return failure();
  }
  Shape axes(llvm::to_vector(llvm::seq<int64_t>(0, *rank)));
  if (!n.hasAttr("axes")) {
    return axes;
  }
  axes = n.intsAttr("axes");
  for (int64_t &axis : axes) {
    FailureOr<int64_t> normalized = n.axis(axis, *rank);
    if (failed(normalized)) {
      return failure();
    }
    axis = *normalized;
  }
  return axes;
}

/// Returns whether all scales are known and satisfy `isOnSide`.
bool areAll(const std::optional<Tensor> &scales, bool (*isOnSide)(double)) {
  if (!scales || !isFloat(scales->type())) {
    return false;
  }
  return llvm::all_of(llvm::seq<int64_t>(0, scales->size()),
                      [&](int64_t i) { return isOnSide(scales->asDouble(i)); });
}

/// Imports Resize by scales before opset 11. In these opsets, mode nearest
/// takes the upper neighbor along axes that shrink and the lower neighbor
/// along axes that grow. graph.resize has one rule for all axes. The importer
/// therefore emits one resize for the growing axes and one for the shrinking
/// axes, each with scale 1 for the remaining axes.
LogicalResult importOldResize(NodeContext &n, Value scales) {
  FailureOr<ResizeAttributes> attributes = readOldResize(n);
  FailureOr<Shape> axes = readAxes(n, n.input(0));
  if (failed(attributes) || failed(axes)) {
    return failure();
  }
  std::optional<Tensor> known = n.known(scales);
  bool grows = areAll(known, [](double scale) { return scale >= 1; });
  if (attributes->mode != graph::ResizeMode::Nearest || grows) {
    return n.yield(emitResize(n, n.input(0), Value(), scales, Value(), *axes, *attributes));
  }
  Value x = n.input(0);
  if (!areAll(known, [](double scale) { return scale <= 1; })) {
    Value one = n.scalarLike(scales, 1);
    Value growing = n.binary(graph::BinaryKind::Max, scales, one);
    x = emitResize(n, x, Value(), growing, Value(), *axes, *attributes);
    scales = n.binary(graph::BinaryKind::Min, scales, one);
  }
  attributes->nearest = graph::NearestMode::Ceil;
  return n.yield(emitResize(n, x, Value(), scales, Value(), *axes, *attributes));
}

LogicalResult importResize(NodeContext &n) {
  if (failed(n.require(0, "X"))) {
    return failure();
  }
  if (n.opset() < 11) {
    return failed(n.require(1, "scales")) ? failure() : importOldResize(n, n.input(1));
  }
  FailureOr<ResizeAttributes> attributes = readResize(n);
  FailureOr<Shape> axes = readAxes(n, n.input(0));
  if (failed(attributes) || failed(axes)) {
    return failure();
  }
  bool readsRoi = attributes->coordinates == graph::CoordinateMode::TfCropAndResize;
  Value roi = readsRoi && isGiven(n, n.input(1)) ? n.input(1) : Value();
  Value scales = isGiven(n, n.input(2)) ? n.input(2) : Value();
  Value sizes = isGiven(n, n.input(3)) ? n.input(3) : Value();
  // A Resize of a scalar has no axes, and its empty scales are valid.
  if (axes->empty() && !scales && !sizes) {
    return n.yield(n.input(0));
  }
  return n.yield(emitResize(n, n.input(0), roi, scales, sizes, *axes, *attributes));
}

/// Imports Upsample. The scales are an attribute before opset 9.
LogicalResult importUpsample(NodeContext &n) {
  if (failed(n.require(0, "X"))) {
    return failure();
  }
  if (n.opset() >= 9) {
    return failed(n.require(1, "scales")) ? failure() : importOldResize(n, n.input(1));
  }
  SmallVector<double> scales = n.floatsAttr("scales");
  if (n.opset() < 7) {
    scales = {1, 1, n.floatAttr("height_scale", 1), n.floatAttr("width_scale", 1)};
  }
  Tensor tensor(ElementType::F32, {static_cast<int64_t>(scales.size())});
  std::copy(scales.begin(), scales.end(), tensor.mutableData<float>());
  return importOldResize(n, n.constant(tensor));
}

/// Parses the mode of GridSample. Opset 20 added volumes and removed the prefix
/// `bi` from the names.
std::optional<graph::ResizeMode> symbolizeGridMode(StringRef name) {
  name.consume_front("bi");
  return graph::symbolizeResizeMode(name);
}

LogicalResult importGridSample(NodeContext &n) {
  if (failed(n.require(0, "X")) || failed(n.require(1, "grid"))) {
    return failure();
  }
  auto mode = enumAttr<graph::ResizeMode>(n, "mode", "linear", symbolizeGridMode,
                                          "linear, nearest or cubic");
  auto padding = enumAttr<graph::SamplePadding>(
      n, "padding_mode", "zeros", graph::symbolizeSamplePadding, "zeros, border or reflection");
  if (failed(mode) || failed(padding)) {
    return failure();
  }
  return n.yield(n.emit<graph::GridSampleOp>(n.input(0), n.input(1), *mode, *padding,
                                             n.intAttr("align_corners", 0) != 0));
}

/// Returns the coordinates in [-1, 1] of the points along one dimension of an
/// affine grid. Entry `i` of `size` is the size of the dimension.
Value gridCoordinates(NodeContext &n, Value size, int64_t i, ElementType type, bool alignCorners) {
  Value extent = n.emit<graph::GatherOp>(n.cast(size, ElementType::I64), n.intScalar(i), 0);
  Value points = n.emit<graph::RangeOp>(n.intScalar(0), extent, n.intScalar(1));
  Value x = n.mul(n.cast(points, type), n.scalar(type, 2));
  if (!alignCorners) { // Cell centers: (2 i + 1) / extent - 1.
    x = n.div(n.add(x, n.scalar(type, 1)), n.cast(extent, type));
    return n.sub(x, n.scalar(type, 1));
  }
  Value steps = n.binary(graph::BinaryKind::Max, n.sub(extent, n.intScalar(1)), n.intScalar(1));
  return n.sub(n.div(x, n.cast(steps, type)), n.scalar(type, 1));
}

/// Imports AffineGrid: theta * (x, y[, z], 1) for each point. The import sums
/// the columns of theta times coordinates that broadcast to N x spatial... x D.
LogicalResult importAffineGrid(NodeContext &n) {
  if (failed(n.require(0, "theta")) || failed(n.require(1, "size"))) {
    return failure();
  }
  Value theta = n.input(0);
  FailureOr<Shape> shape = n.shape(theta);
  if (failed(shape)) {
    return failure();
  }
  int64_t dims = shape->size() == 3 ? (*shape)[1] : 0;
  if ((dims != 2 && dims != 3) || (*shape)[2] != dims + 1 || !isFloat(n.element(theta))) {
    return n.error()
           << "expects 'theta' of a floating-point type and of shape N x 2 x 3 or N x 3 x 4, got "
           << theta.getType();
  }
  bool alignCorners = n.intAttr("align_corners", 0) != 0;
  Shape columnShape(dims + 2, 1);
  columnShape.front() = -1;
  columnShape.back() = dims;
  auto column = [&](int64_t i) { return n.reshape(n.slice(theta, 2, i, i + 1), columnShape); };
  Value grid = column(dims);
  for (int64_t i = 0; i < dims; ++i) {
    // Column 0 is x, the coordinate along the last spatial dimension.
    int64_t dimension = dims - 1 - i;
    Value x = gridCoordinates(n, n.input(1), 2 + dimension, n.element(theta), alignCorners);
    Shape along(dims + 1 - dimension, 1);
    along.front() = -1;
    grid = n.add(grid, n.mul(column(i), n.reshape(x, along)));
  }
  return n.yield(grid);
}

LogicalResult importRoiAlign(NodeContext &n) {
  if (failed(n.require(0, "X")) || failed(n.require(1, "rois")) ||
      failed(n.require(2, "batch_indices"))) {
    return failure();
  }
  std::string mode = n.stringAttr("mode", "avg");
  // Before opset 16 there is no attribute, and the mode is output_half_pixel.
  std::string coordinates = n.stringAttr("coordinate_transformation_mode",
                                         n.opset() >= 16 ? "half_pixel" : "output_half_pixel");
  if (mode != "avg" && mode != "max") {
    return n.error() << "has mode '" << mode << "', expected avg or max";
  }
  if (coordinates != "half_pixel" && coordinates != "output_half_pixel") {
    return n.error() << "has coordinate_transformation_mode '" << coordinates
                     << "', expected half_pixel or output_half_pixel";
  }
  return n.yield(n.emit<graph::RoiAlignOp>(
      n.input(0), n.input(1), n.input(2), n.intAttr("output_height", 1),
      n.intAttr("output_width", 1), n.intAttr("sampling_ratio", 0),
      llvm::APFloat(n.floatAttr("spatial_scale", 1)), coordinates == "half_pixel", mode == "max"));
}

LogicalResult importMaxRoiPool(NodeContext &n) {
  if (failed(n.require(0, "X")) || failed(n.require(1, "rois"))) {
    return failure();
  }
  return n.yield(n.emit<graph::MaxRoiPoolOp>(n.input(0), n.input(1), n.intsAttr("pooled_shape"),
                                             llvm::APFloat(n.floatAttr("spatial_scale", 1))));
}

LogicalResult importNonMaxSuppression(NodeContext &n) {
  if (failed(n.require(0, "boxes")) || failed(n.require(1, "scores"))) {
    return failure();
  }
  return n.yield(n.emit<graph::NonMaxSuppressionOp>(n.input(0), n.input(1), n.input(2), n.input(3),
                                                    n.input(4),
                                                    n.intAttr("center_point_box", 0) != 0));
}

} // namespace

llvm::ArrayRef<OpRow> samplingRows() {
  static const OpRow kRows[] = {
      {"AffineGrid", importAffineGrid},
      {"GridSample", importGridSample},
      {"MaxRoiPool", importMaxRoiPool,
       "a batch index out of range is an error on the reference interpreter; on host it reads the "
       "nearest valid batch"},
      {"NonMaxSuppression", importNonMaxSuppression,
       "host: the result must be an output of the model that no node reads"},
      {"Resize", importResize},
      {"RoiAlign", importRoiAlign,
       "a batch index out of range is an error on the reference interpreter; on host it reads the "
       "nearest valid batch"},
      {"Upsample", importUpsample},
  };
  return kRows;
}

} // namespace convoy::import
