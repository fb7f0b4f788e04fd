// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports ops whose target shape must be computed and that therefore become
// several graph ops: Squeeze, Unsqueeze, DepthToSpace, SpaceToDepth,
// CenterCropPad and Col2Im.

#include "Import/OpTable.h"
#include "Import/OpenDim.h"
#include "Support/TensorLimits.h"

using namespace mlir;

namespace convoy::import {
namespace {

/// Returns the axes of Squeeze and Unsqueeze: an attribute before opset 13, an
/// input since opset 13. Returns null if the node omits them.
Value axesOperand(NodeContext &n) {
  if (n.opset() >= 13) {
    return n.input(1);
  }
  return n.hasAttr("axes") ? n.ints(n.intsAttr("axes")) : Value();
}

/// Returns the normalized axes in sorted order. Emits an error if an axis
/// occurs twice.
FailureOr<Shape> sortedAxes(NodeContext &n, ArrayRef<int64_t> axes, int64_t rank) {
  Shape result;
  for (int64_t axis : axes) {
    FailureOr<int64_t> normalized = n.axis(axis, rank);
    if (failed(normalized)) {
      return failure();
    }
    if (llvm::is_contained(result, *normalized)) {
      return FailureOr<Shape>(n.error()
                              << "has axis " << axis << " twice in 'axes', expected distinct axes");
    }
    result.push_back(*normalized);
  }
  llvm::sort(result);
  return result;
}

/// Returns the length of a vector if its type is static.
std::optional<int64_t> lengthOf(Value vector) {
  auto type = dyn_cast<RankedTensorType>(vector.getType());
  return type && type.hasStaticShape() ? std::optional<int64_t>(type.getNumElements())
                                       : std::nullopt;
}

std::optional<int64_t> knownRank(Value x) {
  auto type = dyn_cast<RankedTensorType>(x.getType());
  return type ? std::optional<int64_t>(type.getRank()) : std::nullopt;
}

/// Gives a vector a static length that its type lacks, so that a reshape to it
/// has a known rank.
Value withLength(NodeContext &n, Value vector, std::optional<int64_t> length) {
  return length && *length >= 0 ? n.reshape(vector, {*length}) : vector;
}

/// Returns a vector like `zeros` with true at each of `axes`, computed at run
/// time.
Value markAxes(NodeContext &n, Value zeros, Value axes) {
  Value flat = n.reshape(axes, {-1});
  Value lengths = n.emit<graph::ShapeOp>(flat, 0, IntegerAttr());
  Value ones = n.emit<graph::ExpandOp>(n.ints({1}), lengths);
  Value marks =
      n.emit<graph::ScatterElementsOp>(zeros, flat, ones, /*axis=*/0, graph::ScatterKind::None);
  return n.binary(graph::BinaryKind::Equal, marks, n.ints({1}));
}

Value select1D(NodeContext &n, Value vector, Value condition) {
  return n.emit<graph::CompressOp>(vector, condition, n.builder.getI64IntegerAttr(0));
}

/// Imports Squeeze with unknown axes or dynamic dimensions: removes entries of
/// the shape at run time.
Value squeezeOpen(NodeContext &n, Value x, Value axes) {
  Value shape = n.emit<graph::ShapeOp>(x, 0, IntegerAttr());
  std::optional<int64_t> length;
  Value isDropped;
  if (axes) {
    isDropped = markAxes(n, n.sub(shape, shape), axes);
    std::optional<int64_t> rank = knownRank(x);
    std::optional<int64_t> count = lengthOf(axes);
    length = rank && count ? std::optional<int64_t>(*rank - *count) : std::nullopt;
  } else {
    isDropped = n.binary(graph::BinaryKind::Equal, shape, n.ints({1}));
  }
  Value target = select1D(n, shape, n.unary(graph::UnaryKind::Not, isDropped));
  return n.emit<graph::ReshapeOp>(x, withLength(n, target, length), /*allowZero=*/true);
}

/// Imports Squeeze with known axes.
LogicalResult squeezeKnown(NodeContext &n, Value x, ArrayRef<int64_t> axes) {
  SmallVector<OpenDim> kept;
  for (auto [i, dim] : llvm::enumerate(dimsOf(n, x))) {
    if (!llvm::is_contained(axes, static_cast<int64_t>(i))) {
      kept.push_back(dim);
    } else if (const int64_t *size = std::get_if<int64_t>(&dim); size && *size != 1) {
      return n.error() << "removes dimension " << i << " of " << x.getType()

                       << ", expected a dimension of size 1";
    }
  }
  return n.yield(reshapeTo(n, x, kept));
}

LogicalResult importSqueeze(NodeContext &n) {
  if (failed(n.require(0, "data"))) {
    return failure();
  }
  Value x = n.input(0);
  Value operand = axesOperand(n);
  auto type = dyn_cast<RankedTensorType>(x.getType());
  if (!operand && type && type.hasStaticShape()) {
    Shape ones;
    for (int64_t i = 0; i < type.getRank(); ++i) {
      if (type.getDimSize(i) == 1) {
        ones.push_back(i);
      }
    }
    return squeezeKnown(n, x, ones);
  }
  if (!operand) {
    return n.yield(squeezeOpen(n, x, operand));
  }
  FailureOr<std::optional<Shape>> axes = knownIntegers(n, operand, "axes");
  if (failed(axes)) {
    return failure();
  }
  if (!*axes || !type) {
    return n.yield(squeezeOpen(n, x, operand));
  }
  FailureOr<Shape> sorted = sortedAxes(n, **axes, type.getRank());
  return failed(sorted) ? failure() : squeezeKnown(n, x, *sorted);
}

/// Imports Unsqueeze with unknown axes or unknown rank: scatters the shape into
/// a vector of ones at run time.
Value unsqueezeOpen(NodeContext &n, Value x, Value axes) {
  Value shape = n.emit<graph::ShapeOp>(x, 0, IntegerAttr());
  Value flat = n.reshape(axes, {-1});
  Value rank = n.add(n.emit<graph::ShapeOp>(shape, 0, IntegerAttr()),
                     n.emit<graph::ShapeOp>(flat, 0, IntegerAttr()));
  Value ones = n.emit<graph::ExpandOp>(n.ints({1}), rank);
  Value isAdded = markAxes(n, n.sub(ones, ones), flat);
  Value columns = n.emit<graph::NonZeroOp>(n.unary(graph::UnaryKind::Not, isAdded));
  Value places = n.reshape(columns, {-1});
  Value target =
      n.emit<graph::ScatterElementsOp>(ones, places, shape, /*axis=*/0, graph::ScatterKind::None);
  return n.emit<graph::ReshapeOp>(x, target, /*allowZero=*/true);
}

LogicalResult importUnsqueeze(NodeContext &n) {
  if (failed(n.require(0, "data"))) {
    return failure();
  }
  Value operand = axesOperand(n);
  if (!operand) {
    return n.error() << "requires 'axes' (an attribute before opset 13, input 1 since opset 13)";
  }
  Value x = n.input(0);
  FailureOr<std::optional<Shape>> axes = knownIntegers(n, operand, "axes");
  if (failed(axes)) {
    return failure();
  }
  if (!*axes || !n.hasRank(x)) {
    return n.yield(unsqueezeOpen(n, x, operand));
  }
  SmallVector<OpenDim> dims = dimsOf(n, x);
  auto rank = static_cast<int64_t>(dims.size() + (*axes)->size());
  if (rank > kMaxRank) {
    return n.error() << "produces a tensor of " << rank << " dimensions, expected at most "
                     << kMaxRank;
  }
  FailureOr<Shape> added = sortedAxes(n, **axes, rank);
  if (failed(added)) {
    return failure();
  }
  for (int64_t axis : *added) {
    dims.insert(dims.begin() + axis, int64_t(1));
  }
  return n.yield(reshapeTo(n, x, dims));
}

/// Returns the block size of DepthToSpace and SpaceToDepth after checking the
/// rank.
FailureOr<int64_t> blockSize(NodeContext &n) {
  int64_t block = n.intAttr("blocksize", 0);
  if (failed(n.require(0, "input"))) {
    return failure();
  }
  FailureOr<int64_t> rank = n.rank(n.input(0));
  if (failed(rank)) {
    return failure();
  }
  // The square of a larger block would overflow.
  if (*rank != 4 || block < 1 || block > INT32_MAX) {
    return FailureOr<int64_t>(
        n.error() << "expects an input of rank 4 and attribute 'blocksize' of 1 or more, got "
                  << n.input(0).getType() << " and " << block);
  }
  return block;
}

LogicalResult importDepthToSpace(NodeContext &n) {
  FailureOr<int64_t> block = blockSize(n);
  if (failed(block)) {
    return failure();
  }
  Value x = n.input(0);
  OpenDim b = *block;
  SmallVector<OpenDim> dims = dimsOf(n, x);
  OpenDim batch = dims[0], height = dims[2], width = dims[3];
  OpenDim depth = divide(n, dims[1], *block * *block);
  std::string mode = n.stringAttr("mode", "DCR");
  if (mode != "DCR" && mode != "CRD") {
    return n.error() << "has mode '" << mode << "', expected DCR or CRD";
  }
  // In both modes the final dimension order is batch, depth, height, block,
  // width, block.
  bool isDepthLast = mode == "DCR";
  Value cut = isDepthLast ? reshapeTo(n, x, {batch, b, b, depth, height, width})
                          : reshapeTo(n, x, {batch, depth, b, b, height, width});
  Value moved =
      isDepthLast ? n.transpose(cut, {0, 3, 4, 1, 5, 2}) : n.transpose(cut, {0, 1, 4, 2, 5, 3});
  return n.yield(
      reshapeTo(n, moved, {batch, depth, multiply(n, height, b), multiply(n, width, b)}));
}

LogicalResult importSpaceToDepth(NodeContext &n) {
  FailureOr<int64_t> block = blockSize(n);
  if (failed(block)) {
    return failure();
  }
  Value x = n.input(0);
  OpenDim b = *block;
  SmallVector<OpenDim> dims = dimsOf(n, x);
  OpenDim batch = dims[0], depth = dims[1];
  OpenDim height = divide(n, dims[2], *block);
  OpenDim width = divide(n, dims[3], *block);
  Value cut = reshapeTo(n, x, {batch, depth, height, b, width, b});
  Value moved = n.transpose(cut, {0, 3, 5, 1, 2, 4});
  OpenDim depthBehind = multiply(n, depth, *block * *block);
  return n.yield(reshapeTo(n, moved, {batch, depthBehind, height, width}));
}

LogicalResult importCenterCropPad(NodeContext &n) {
  if (failed(n.require(0, "input_data")) || failed(n.require(1, "shape"))) {
    return failure();
  }
  Value x = n.input(0);
  Value target = n.cast(n.input(1), ElementType::I64);
  Value dims = n.emit<graph::ShapeOp>(x, 0, IntegerAttr());
  Value axes;
  if (n.hasAttr("axes")) {
    axes = n.ints(n.intsAttr("axes"));
    dims = n.emit<graph::GatherOp>(dims, axes, /*axis=*/0);
  }
  Value zero = n.ints({0});
  Value two = n.ints({2});
  auto positive = [&](Value v) { return n.binary(graph::BinaryKind::Max, v, zero); };
  Value start = n.div(positive(n.sub(dims, target)), two);
  Value end = n.add(start, n.binary(graph::BinaryKind::Min, dims, target));
  Value cropped = n.emit<graph::SliceOp>(x, start, end, axes, Value());
  Value missing = positive(n.sub(target, dims));
  Value before = n.div(missing, two);
  Value pads = n.concat({before, n.sub(missing, before)}, 0);
  return n.yield(n.emit<graph::PadOp>(cropped, pads, Value(), axes, graph::PadMode::Constant));
}

LogicalResult importCol2Im(NodeContext &n) {
  if (failed(n.require(0, "input")) || failed(n.require(1, "image_shape")) ||
      failed(n.require(2, "block_shape"))) {
    return failure();
  }
  std::optional<int64_t> dims = lengthOf(n.input(1));
  if (!dims || *dims > 64) {
    return n.unsupported()
           << "unless the type of 'image_shape' has a static length of at most 64, got "
           << n.input(1).getType();
  }
  Shape dilations = n.intsAttr("dilations", Shape(*dims, 1));
  Shape pads = n.intsAttr("pads", Shape(2 * *dims, 0));
  Shape strides = n.intsAttr("strides", Shape(*dims, 1));
  return n.yield(
      n.emit<graph::Col2ImOp>(n.input(0), n.input(1), n.input(2), dilations, pads, strides));
}

} // namespace

llvm::ArrayRef<OpRow> rearrangeRows() {
  static const OpRow kRows[] = {
      {"CenterCropPad", importCenterCropPad},
      {"Col2Im", importCol2Im},
      {"DepthToSpace", importDepthToSpace, "requires a known rank"},
      {"SpaceToDepth", importSpaceToDepth, "requires a known rank"},
      {"Squeeze", importSqueeze},
      {"Unsqueeze", importUnsqueeze},
  };
  return kRows;
}

} // namespace convoy::import
