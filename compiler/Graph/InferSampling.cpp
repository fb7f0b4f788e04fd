// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Type rules of the ops of NN.td that sample at computed positions.

#include "Graph/Graph.h"
#include "Graph/ResizeGeometry.h"
#include "Graph/RuleChecks.h"

using namespace mlir;

namespace convoy::graph {

// The rules reject results larger than this along one dimension before they
// compute with them.
constexpr int64_t kMaxDim = int64_t(1) << 48;

static LogicalResult expectSize(TypeInference &inference, int64_t size, StringRef attribute) {
  if (size >= 1 && size <= kMaxDim) {
    return success();
  }
  return inference.error() << "expects " << attribute << " of 1 or more, got " << size;
}

/// Checks the operands of both region ops: floating-point types, and `columns`
/// values per region in `rois`. Returns the number of regions.
static FailureOr<int64_t> checkRegions(TypeInference &inference, Value input, Value rois,
                                       int64_t columns) {
  if (failed(expectFloats(inference, input, "an input")) ||
      failed(expectFloats(inference, rois, "regions")) ||
      failed(expectRank(inference, input, 4, "an input")) ||
      failed(expectRank(inference, rois, 2, "regions"))) {
    return failure();
  }
  Shape shape = shapeOrUnknown(inference, rois, 2);
  if (mayEqual(shape[1], columns)) {
    return shape[0];
  }
  return FailureOr<int64_t>(inference.error() << "expects " << columns << " values per region, got "
                                              << inference.type(rois));
}

LogicalResult MaxRoiPoolOp::inferTypes(TypeInference &inference) {
  FailureOr<int64_t> regions = checkRegions(inference, getInput(), getRois(), 5);
  if (failed(regions)) {
    return failure();
  }
  ArrayRef<int64_t> pooled = getPooledShape();
  if (pooled.size() != 2) {
    return inference.error() << "expects a pooled shape of 2 values (height and width), got "
                             << pooled.size() << " values";
  }
  if (failed(expectSize(inference, pooled[0], "a pooled height")) ||
      failed(expectSize(inference, pooled[1], "a pooled width"))) {
    return failure();
  }
  Shape input = shapeOrUnknown(inference, getInput(), 4);
  inference.set(0, inference.elementType(getInput()), {*regions, input[1], pooled[0], pooled[1]});
  return success();
}

LogicalResult RoiAlignOp::inferTypes(TypeInference &inference) {
  FailureOr<int64_t> regions = checkRegions(inference, getInput(), getRois(), 4);
  if (failed(regions) || failed(expectSize(inference, getOutputHeight(), "an output height")) ||
      failed(expectSize(inference, getOutputWidth(), "an output width")) ||
      failed(expectVector(inference, getBatchIndices(), *regions, "batch indices"))) {
    return failure();
  }
  if (!isInteger(fromMlir(inference.elementType(getBatchIndices())))) {
    return inference.error() << "expects batch indices of an integer type, got "
                             << inference.type(getBatchIndices());
  }
  if (static_cast<int64_t>(getSamplingRatio()) < 0) {
    return inference.error() << "expects a sampling ratio of 0 or more, got "
                             << static_cast<int64_t>(getSamplingRatio());
  }
  Shape input = shapeOrUnknown(inference, getInput(), 4);
  inference.set(0, inference.elementType(getInput()),
                {*regions, input[1], static_cast<int64_t>(getOutputHeight()),
                 static_cast<int64_t>(getOutputWidth())});
  return success();
}

/// Checks [resize.3].
static LogicalResult checkAxes(TypeInference &inference, ResizeOp op, int64_t rank) {
  SmallVector<bool> isNamed(rank);
  for (int64_t axis : op.getAxes()) {
    if (axis < 0 || axis >= rank || isNamed[axis]) {
      return inference.error() << "expects distinct axes within the rank of "
                               << inference.type(op.getInput()) << ", got axis " << axis;
    }
    isNamed[axis] = true;
  }
  return success();
}

/// Checks [resize.1], and that every operand has one entry per axis (two for
/// roi).
static LogicalResult checkResizeOperands(TypeInference &inference, ResizeOp op) {
  int64_t count = op.getAxes().size();
  if (!op.getScales() == !op.getSizes()) {
    return inference.error() << "expects either scales or sizes, got "
                             << (op.getScales() ? "both" : "neither");
  }
  if (failed(expectVector(inference, op.getScales(), count, "scales")) ||
      failed(expectVector(inference, op.getSizes(), count, "sizes"))) {
    return failure();
  }
  if (op.getScales() && failed(expectFloats(inference, op.getScales(), "scales"))) {
    return failure();
  }
  if (op.getSizes() && !isInteger(fromMlir(inference.elementType(op.getSizes())))) {
    return inference.error() << "expects sizes of an integer type, got "
                             << inference.type(op.getSizes());
  }
  if (op.getCoordinates() != CoordinateMode::TfCropAndResize) {
    return success();
  }
  if (!op.getRoi()) {
    return inference.error() << "requires the operand roi for tf_crop_and_resize";
  }
  return failure(failed(expectFloats(inference, op.getRoi(), "a roi")) ||
                 failed(expectVector(inference, op.getRoi(), 2 * count, "the roi")));
}

static LogicalResult resizeByScales(TypeInference &inference, ResizeOp op, Shape &shape) {
  std::optional<Tensor> scales = inference.value(op.getScales());
  for (auto [i, axis] : llvm::enumerate(op.getAxes())) {
    if (!scales || shape[axis] == kDynamic) {
      shape[axis] = kDynamic;
      continue;
    }
    float scale = scales->asDouble(i);
    std::optional<int64_t> size = resizedSize(shape[axis], scale);
    if (!size) { // [resize.2]
      return inference.error() << "expects a positive scale and a resulting size below 2^48, got "
                               << scale << " x " << shape[axis];
    }
    shape[axis] = *size;
  }
  return success();
}

/// Fails unless each size is valid for its input dimension.
static LogicalResult checkSizes(TypeInference &inference, ResizeOp op, ArrayRef<int64_t> sizes,
                                ArrayRef<int64_t> inputSizes) {
  for (auto [size, inputSize] : llvm::zip(sizes, inputSizes)) {
    if (size < 0 || size > kMaxDim) {
      return inference.error() << "expects sizes in [0, 2^48], got " << size;
    }
    if (inputSize == 0 && size != 0) {
      return inference.error() << "cannot resize an empty dimension to " << size << " elements";
    }
  }
  return success();
}

static LogicalResult resizeBySizes(TypeInference &inference, ResizeOp op, Shape &shape) {
  std::optional<Shape> sizes = inference.ints(op.getSizes());
  Shape inputSizes;
  bool isKnown = sizes.has_value();
  for (int64_t axis : op.getAxes()) {
    inputSizes.push_back(shape[axis]);
    isKnown &= op.getAspect() == AspectPolicy::Stretch || shape[axis] != kDynamic;
    shape[axis] = kDynamic;
  }
  if (!isKnown) {
    return success();
  }
  if (failed(checkSizes(inference, op, *sizes, inputSizes))) {
    return failure();
  }
  bool keepsAspect = op.getAspect() != AspectPolicy::Stretch && !llvm::is_contained(inputSizes, 0);
  double scale = keepsAspect ? aspectScale(op.getAspect(), inputSizes, *sizes) : 1;
  for (auto [i, axis] : llvm::enumerate(op.getAxes())) {
    shape[axis] = keepsAspect ? aspectSize(inputSizes[i], scale) : (*sizes)[i];
  }
  return success();
}

LogicalResult ResizeOp::inferTypes(TypeInference &inference) {
  Type element = inference.elementType(getInput());
  if (failed(expectNumbers(inference, getInput(), "an input")) ||
      failed(checkResizeOperands(inference, *this))) {
    return failure();
  }
  if (!inference.hasRank(getInput())) {
    inference.setUnranked(0, element);
    return success();
  }
  Shape shape = inference.shape(getInput());
  if (failed(checkAxes(inference, *this, shape.size())) ||
      failed(getScales() ? resizeByScales(inference, *this, shape)
                         : resizeBySizes(inference, *this, shape))) {
    return failure();
  }
  inference.set(0, element, shape);
  return success();
}

LogicalResult GridSampleOp::inferTypes(TypeInference &inference) {
  Type element = inference.elementType(getInput());
  if (failed(expectNumbers(inference, getInput(), "an input")) ||
      failed(expectFloats(inference, getGrid(), "a grid"))) {
    return failure();
  }
  Value ranked = inference.hasRank(getInput())  ? getInput()
                 : inference.hasRank(getGrid()) ? getGrid()
                                                : Value();
  if (!ranked) {
    inference.setUnranked(0, element);
    return success();
  }
  int64_t rank = inference.shape(ranked).size();
  if (rank < 3) {
    return inference.error() << "expects an input of rank 3 or more, got "
                             << inference.type(ranked);
  }
  if (failed(expectRank(inference, getGrid(), rank, "a grid"))) {
    return failure();
  }
  Shape input = shapeOrUnknown(inference, getInput(), rank);
  Shape grid = shapeOrUnknown(inference, getGrid(), rank);
  if (!mayEqual(input[0], grid[0]) || !mayEqual(grid.back(), rank - 2)) {
    return inference.error() << "expects a grid with the input's batch size and " << rank - 2
                             << " coordinates per point, got " << inference.type(getGrid())
                             << " for " << inference.type(getInput());
  }
  Shape result = {input[0] == kDynamic ? grid[0] : input[0], input[1]};
  result.append(grid.begin() + 1, grid.end() - 1);
  inference.set(0, element, result);
  return success();
}

LogicalResult NonMaxSuppressionOp::inferTypes(TypeInference &inference) {
  if (failed(expectFloats(inference, getBoxes(), "boxes")) ||
      failed(expectFloats(inference, getScores(), "scores")) ||
      failed(expectRank(inference, getBoxes(), 3, "boxes")) ||
      failed(expectRank(inference, getScores(), 3, "scores"))) {
    return failure();
  }
  Shape boxes = shapeOrUnknown(inference, getBoxes(), 3);
  Shape scores = shapeOrUnknown(inference, getScores(), 3);
  if (!mayEqual(boxes[0], scores[0]) || !mayEqual(boxes[1], scores[2]) || !mayEqual(boxes[2], 4)) {
    return inference.error() << "expects boxes N x B x 4 and scores N x classes x B, got "
                             << inference.type(getBoxes()) << " and "
                             << inference.type(getScores());
  }
  for (Value scalar : {getMaxBoxesPerClass(), getIouThreshold(), getScoreThreshold()}) {
    if (!scalar) {
      continue;
    }
    std::optional<int64_t> count =
        inference.hasRank(scalar) ? elementCount(inference.shape(scalar)) : 1;
    if (failed(expectNumbers(inference, scalar, "limits"))) {
      return failure();
    }
    if (count && *count != 1) {
      return inference.error() << "expects each limit to be one value, got "
                               << inference.type(scalar);
    }
  }
  inference.set(0, IntegerType::get(getContext(), 64), {kDynamic, 3});
  return success();
}

} // namespace convoy::graph
