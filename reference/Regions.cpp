// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates ops on boxes: pooling of regions of interest, and non-maximum
// suppression.

#include "reference/Regions.h"
#include "reference/Elements.h"
#include "reference/Odometer.h"
#include <cmath>
#include <numeric>

using namespace mlir;

namespace convoy::reference {
namespace {

// Limit on the samples of a cell along one dimension. The number of samples
// depends on data, so an extreme region could otherwise stall the run.
constexpr double kMaxSamples = 4096;

/// Up to two neighbors along one dimension, as roi_align reads them.
struct Neighbors {
  int64_t low = 0;
  int64_t high = 0;
  double highWeight = 0;
  bool isInside = false;
};

/// Samples up to one element outside read the border; samples further outside
/// are zero.
Neighbors neighborsAt(double x, int64_t size) {
  Neighbors result;
  double last = static_cast<double>(size - 1);
  result.isInside = x >= -1 && x <= static_cast<double>(size);
  if (result.isInside) {
    double inside = std::clamp(x, 0.0, last);
    result.low = static_cast<int64_t>(inside);
    result.high = std::min(result.low + 1, size - 1);
    result.highWeight = inside - static_cast<double>(result.low);
  }
  return result;
}

/// The sample positions of each cell in one dimension of one region.
struct RegionAxis {
  double begin;
  double cell; // size of one cell
  int64_t samples;

  double at(int64_t index, int64_t sample) const {
    return begin + static_cast<double>(index) * cell +
           (static_cast<double>(sample) + 0.5) * cell / static_cast<double>(samples);
  }
};

/// Emits an error and fails if the number of samples exceeds the limit.
FailureOr<RegionAxis> regionAxis(graph::RoiAlignOp op, Evaluation &e, double begin, double end,
                                 int64_t cells) {
  double offset = op.getHalfPixel() ? 0.5 : 0.0;
  double scale = op.getSpatialScale().convertToDouble();
  begin = begin * scale - offset;
  double length = end * scale - offset - begin;
  length = op.getHalfPixel() ? length : std::max(length, 1.0);
  int64_t ratio = op.getSamplingRatio();
  double cell = length / static_cast<double>(cells);
  double samples = ratio > 0 ? static_cast<double>(ratio) : std::ceil(cell);
  if (!(samples <= kMaxSamples)) {
    return FailureOr<RegionAxis>(e.error()
                                 << "requires " << samples << " samples per cell, expected at most "
                                 << kMaxSamples << "; check the regions");
  }
  return RegionAxis{begin, cell, static_cast<int64_t>(std::max(samples, 0.0))};
}

/// Returns the mean or maximum of the samples of one cell of one plane. As ONNX
/// specifies, the maximum is over weighted neighbors, not over interpolated
/// samples.
double poolCell(const double *plane, int64_t width, ArrayRef<Neighbors> ys, ArrayRef<Neighbors> xs,
                bool takesMax) {
  double sum = 0;
  std::optional<double> most;
  for (const Neighbors &y : ys) {
    for (const Neighbors &x : xs) {
      if (!y.isInside || !x.isInside) {
        most = std::max(most.value_or(0), 0.0);
        continue;
      }
      const double terms[] = {(1 - y.highWeight) * (1 - x.highWeight) *
                                  plane[y.low * width + x.low],
                              (1 - y.highWeight) * x.highWeight * plane[y.low * width + x.high],
                              y.highWeight * (1 - x.highWeight) * plane[y.high * width + x.low],
                              y.highWeight * x.highWeight * plane[y.high * width + x.high]};
      for (double term : terms) {
        sum += term;
        most = std::max(most.value_or(term), term);
      }
    }
  }
  double count = std::max<double>(static_cast<double>(ys.size() * xs.size()), 1);
  return takesMax ? most.value_or(0) : sum / count;
}

SmallVector<Neighbors> cellNeighbors(const RegionAxis &axis, int64_t index, int64_t size) {
  SmallVector<Neighbors> result;
  for (int64_t sample = 0; sample < axis.samples; ++sample) {
    result.push_back(neighborsAt(axis.at(index, sample), size));
  }
  return result;
}

/// Fails unless a batch index is a batch of the input.
LogicalResult checkBatch(Evaluation &e, int64_t batch, const Tensor &input) {
  if (batch >= 0 && batch < input.dim(0)) {
    return success();
  }
  return e.error() << "expects batch indices in [0, " << input.dim(0) << "), got " << batch;
}

} // namespace

LogicalResult evaluateRoiAlign(graph::RoiAlignOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  const Tensor &rois = e.input(op.getRois());
  const Tensor &batches = e.input(op.getBatchIndices());
  Tensor &result = e.output();
  if (result.isEmpty() || input.isEmpty()) {
    return success();
  }
  int64_t channels = input.dim(1);
  int64_t height = input.dim(2);
  int64_t width = input.dim(3);
  Elements<double> x(input);
  int64_t cells = result.size() / result.dim(0);
  double terms = 0;
  int64_t to = 0;
  for (int64_t roi = 0; roi < result.dim(0); ++roi) {
    int64_t batch = batches.asInt(roi);
    FailureOr<RegionAxis> columns =
        regionAxis(op, e, rois.asDouble(roi * 4), rois.asDouble(roi * 4 + 2), result.dim(3));
    FailureOr<RegionAxis> rows =
        regionAxis(op, e, rois.asDouble(roi * 4 + 1), rois.asDouble(roi * 4 + 3), result.dim(2));
    if (failed(columns) || failed(rows) || failed(checkBatch(e, batch, input))) {
      return failure();
    }
    terms += static_cast<double>(columns->samples * rows->samples * cells);
    if (failed(e.checkTerms(terms))) {
      return failure();
    }
    for (int64_t c = 0; c < channels; ++c) {
      const double *plane = x.data() + (batch * channels + c) * height * width;
      for (int64_t row = 0; row < result.dim(2); ++row) {
        SmallVector<Neighbors> ys = cellNeighbors(*rows, row, height);
        for (int64_t column = 0; column < result.dim(3); ++column) {
          SmallVector<Neighbors> xs = cellNeighbors(*columns, column, width);
          result.setDouble(to++, poolCell(plane, width, ys, xs, op.getTakesMax()));
        }
      }
    }
  }
  return success();
}

namespace {

/// One dimension of a region of max_roi_pool, in integer positions.
struct PooledAxis {
  double begin;
  double cell;
  int64_t size; // size of the input dimension

  PooledAxis(double begin, double end, double scale, int64_t cells, int64_t size)
      : begin(std::round(begin * scale)), size(size) {
    double length = std::max(std::round(end * scale) - this->begin + 1, 1.0);
    cell = length / static_cast<double>(cells);
  }

  /// Returns the elements [first, second) of a cell that are in the input.
  std::pair<int64_t, int64_t> range(int64_t index) const {
    double from = begin + std::floor(static_cast<double>(index) * cell);
    double to = begin + std::ceil(static_cast<double>(index + 1) * cell);
    return {bounded(from), bounded(to)};
  }

private:
  int64_t bounded(double x) const {
    // A comparison with NaN is false, so NaN becomes 0.
    return x > 0 ? static_cast<int64_t>(std::min(x, static_cast<double>(size))) : 0;
  }
};

} // namespace

LogicalResult evaluateMaxRoiPool(graph::MaxRoiPoolOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  const Tensor &rois = e.input(op.getRois());
  Tensor &result = e.output();
  if (result.isEmpty() || input.isEmpty()) {
    return success();
  }
  double scale = op.getSpatialScale().convertToDouble();
  int64_t channels = input.dim(1);
  int64_t height = input.dim(2);
  int64_t width = input.dim(3);
  int64_t cells = result.dim(2) * result.dim(3);
  for (int64_t i = 0; i < result.size(); ++i) {
    int64_t roi = i / cells / channels;
    int64_t batch = rois.asInt(roi * 5);
    if (failed(checkBatch(e, batch, input))) {
      return failure();
    }
    PooledAxis columns(rois.asDouble(roi * 5 + 1), rois.asDouble(roi * 5 + 3), scale, result.dim(3),
                       width);
    PooledAxis rows(rois.asDouble(roi * 5 + 2), rois.asDouble(roi * 5 + 4), scale, result.dim(2),
                    height);
    auto [top, bottom] = rows.range(i / result.dim(3) % result.dim(2));
    auto [left, right] = columns.range(i % result.dim(3));
    int64_t plane = (batch * channels + i / cells % channels) * height * width;
    std::optional<double> most; // The result of an empty cell is 0.
    for (int64_t y = top; y < bottom; ++y) {
      for (int64_t x = left; x < right; ++x) {
        double value = input.asDouble(plane + y * width + x);
        most = std::max(most.value_or(value), value);
      }
    }
    result.setDouble(i, most.value_or(0));
  }
  return success();
}

namespace {

struct Box {
  double top, left, bottom, right;

  double area() const { return (bottom - top) * (right - left); }
};

Box boxAt(const Tensor &boxes, int64_t index, bool isCentered) {
  double v[4];
  for (int64_t i = 0; i < 4; ++i) {
    v[i] = boxes.asDouble(index * 4 + i);
  }
  if (isCentered) { // center x, center y, width, height
    return {v[1] - v[3] / 2, v[0] - v[2] / 2, v[1] + v[3] / 2, v[0] + v[2] / 2};
  }
  // The coordinates are any two opposite corners.
  return {std::min(v[0], v[2]), std::min(v[1], v[3]), std::max(v[0], v[2]), std::max(v[1], v[3])};
}

/// Returns the intersection over union.
double overlap(const Box &a, const Box &b) {
  double height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  double width = std::min(a.right, b.right) - std::max(a.left, b.left);
  if (height <= 0 || width <= 0) {
    return 0;
  }
  double shared = height * width;
  double joined = a.area() + b.area() - shared;
  return joined > 0 ? shared / joined : 0;
}

struct Suppression {
  const Tensor &boxes;
  const Tensor &scores;
  bool isCentered;
  double limit;
  double iouThreshold;
  std::optional<double> scoreThreshold;

  /// Returns the boxes kept for one class, highest score first.
  std::vector<int64_t> keep(int64_t batch, int64_t scoreBase) const {
    int64_t count = boxes.dim(1);
    std::vector<int64_t> order;
    for (int64_t i = 0; i < count; ++i) {
      double score = scores.asDouble(scoreBase + i);
      if (!std::isnan(score) && (!scoreThreshold || score > *scoreThreshold)) {
        order.push_back(i);
      }
    }
    // Boxes with equal scores keep their order.
    std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      double scoreA = scores.asDouble(scoreBase + a);
      double scoreB = scores.asDouble(scoreBase + b);
      return scoreA > scoreB || (scoreA == scoreB && a < b);
    });
    std::vector<int64_t> kept;
    for (int64_t candidate : order) {
      if (static_cast<double>(kept.size()) >= limit) {
        break;
      }
      Box box = boxAt(boxes, batch * count + candidate, isCentered);
      bool isCovered = llvm::any_of(kept, [&](int64_t other) {
        return overlap(box, boxAt(boxes, batch * count + other, isCentered)) > iouThreshold;
      });
      if (!isCovered) {
        kept.push_back(candidate);
      }
    }
    return kept;
  }
};

} // namespace

/// Returns the rows (batch entry, class, box) of the kept boxes. `OpT` is the op with or without a
/// maximum size.
template <typename OpT>
static std::vector<int64_t> keptRows(OpT op, Evaluation &e) {
  auto scalar = [&](Value value) -> std::optional<double> {
    if (!value || e.input(value).isEmpty()) {
      return std::nullopt;
    }
    return e.input(value).asDouble(0);
  };
  const Tensor &scores = e.input(op.getScores());
  // Without a limit, ONNX returns no boxes.
  double limit = scalar(op.getMaxBoxesPerClass()).value_or(0);
  Suppression suppression{e.input(op.getBoxes()),
                          scores,
                          op.getBoxesAreCentered(),
                          limit,
                          scalar(op.getIouThreshold()).value_or(0),
                          scalar(op.getScoreThreshold())};
  std::vector<int64_t> rows;
  int64_t classes = scores.dim(1);
  // Without boxes, the number of classes may be arbitrarily large.
  int64_t items = scores.isEmpty() ? 0 : scores.dim(0) * classes;
  for (int64_t item = 0; item < items; ++item) {
    for (int64_t box : suppression.keep(item / classes, item * scores.dim(2))) {
      rows.insert(rows.end(), {item / classes, item % classes, box});
    }
  }
  return rows;
}

LogicalResult evaluateBoundedSuppression(graph::BoundedSuppressionOp op, Evaluation &e) {
  Tensor &result = e.output(0);
  Tensor &extents = e.output(1);
  if (!e.isWhole()) {
    return failure();
  }
  std::vector<int64_t> rows = keptRows(op, e);
  if (static_cast<int64_t>(rows.size()) > result.size()) {
    return e.error() << "keeps " << rows.size() / 3 << " boxes, more than the maximum "
                     << result.dim(0) << " [bounded_suppression.3]";
  }
  std::copy(rows.begin(), rows.end(), result.mutableData<int64_t>());
  extents.setInt(0, static_cast<int64_t>(rows.size() / 3));
  return success();
}

LogicalResult evaluateNonMaxSuppression(graph::NonMaxSuppressionOp op, Evaluation &e) {
  const Tensor &boxes = e.input(op.getBoxes());
  const Tensor &scores = e.input(op.getScores());
  // The result has no static type, so no type rule has checked the actual
  // shapes.
  bool isRegular = boxes.rank() == 3 && scores.rank() == 3 && boxes.dim(2) == 4 &&
                   boxes.dim(0) == scores.dim(0) && boxes.dim(1) == scores.dim(2);
  if (!isRegular) {
    return e.error() << "expects boxes N x B x 4 and scores N x classes x B";
  }
  std::vector<int64_t> rows = keptRows(op, e);
  Tensor &result = e.allocate(0, {static_cast<int64_t>(rows.size() / 3), 3});
  if (!e.isWhole()) {
    return failure(); // Too large: allocate emitted an error.
  }
  std::copy(rows.begin(), rows.end(), result.mutableData<int64_t>());
  return success();
}

} // namespace convoy::reference
