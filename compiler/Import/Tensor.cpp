// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports ops that reshape, slice, concatenate and pad. Attributes of old
// opsets that later became inputs turn into constants. If axes are inputs
// without a known value, the importer emits ops that compute the target shape
// at run time.

#include "Import/OpTable.h"
#include "Import/OpenDim.h"

using namespace mlir;

namespace convoy::import {
namespace {

LogicalResult importReshape(NodeContext &n) {
  if (failed(n.require(0, "data"))) {
    return failure();
  }
  Value shape = n.opset() < 5 ? n.ints(n.intsAttr("shape")) : n.input(1);
  if (!shape) {
    return n.require(1, "shape");
  }
  bool allowZero = n.intAttr("allowzero", 0) != 0;
  return n.yield(n.emit<graph::ReshapeOp>(n.input(0), shape, allowZero));
}

LogicalResult importTranspose(NodeContext &n) {
  if (failed(n.require(0, "data"))) {
    return failure();
  }
  if (n.hasAttr("perm")) {
    return n.yield(n.transpose(n.input(0), n.intsAttr("perm")));
  }
  FailureOr<int64_t> rank = n.rank(n.input(0));
  if (failed(rank)) {
    return failure();
  }
  Shape reversed;
  for (int64_t i = *rank; i-- > 0;) {
    reversed.push_back(i);
  }
  return n.yield(n.transpose(n.input(0), reversed));
}

LogicalResult importConcat(NodeContext &n) {
  if (failed(n.require(0, "inputs"))) {
    return failure();
  }
  for (unsigned i = 0; i < n.numInputs(); ++i) {
    if (failed(n.require(i, "inputs"))) {
      return failure();
    }
  }
  if (n.opset() >= 4 && !n.hasAttr("axis")) {
    return n.error() << "requires attribute 'axis', but the node does not have it";
  }
  // An input of known rank is required to normalize a negative axis.
  Value ranked = n.input(0);
  for (Value input : n.allInputs()) {
    ranked = n.hasRank(input) ? input : ranked;
  }
  FailureOr<int64_t> axis = axisOf(n, n.intAttr("axis", 1), ranked);
  return failed(axis) ? failure() : n.yield(n.concat(n.allInputs(), *axis));
}

/// Before opset 18 a Split without sizes requires parts of equal size.
LogicalResult checkEvenSplit(NodeContext &n, int64_t axis) {
  auto type = dyn_cast<RankedTensorType>(n.input(0).getType());
  if (n.opset() >= 18 || !type || type.isDynamicDim(axis) ||
      type.getDimSize(axis) % std::max(n.numOutputs(), 1u) == 0) {
    return success();
  }
  return n.error() << "cannot split a dimension of size " << type.getDimSize(axis) << " into "
                   << n.numOutputs() << " parts of equal size; set the sizes "
                   << "in 'split'";
}

LogicalResult importSplit(NodeContext &n) {
  if (failed(n.require(0, "input"))) {
    return failure();
  }
  FailureOr<int64_t> axis = axisOf(n, n.intAttr("axis", 0), n.input(0));
  if (failed(axis)) {
    return failure();
  }
  Value sizes = n.input(1);
  if (!sizes && n.hasAttr("split")) {
    sizes = n.ints(n.intsAttr("split"));
  }
  int64_t outputs = n.intAttr("num_outputs", n.numOutputs());
  if (outputs != static_cast<int64_t>(n.numOutputs())) {
    return n.error() << "has attribute 'num_outputs' = " << outputs << " and " << n.numOutputs()
                     << " outputs, expected equal numbers";
  }
  if (!sizes && failed(checkEvenSplit(n, *axis))) {
    return failure();
  }
  return n.yield(n.emitVariadic<graph::SplitOp>(n.numOutputs(), n.input(0), sizes, *axis));
}

LogicalResult importSlice(NodeContext &n) {
  if (failed(n.require(0, "data"))) {
    return failure();
  }
  if (n.opset() < 10) {
    Value axes = n.hasAttr("axes") ? n.ints(n.intsAttr("axes")) : Value();
    return n.yield(n.emit<graph::SliceOp>(n.input(0), n.ints(n.intsAttr("starts")),
                                          n.ints(n.intsAttr("ends")), axes, Value()));
  }
  if (failed(n.require(1, "starts")) || failed(n.require(2, "ends"))) {
    return failure();
  }
  return n.yield(
      n.emit<graph::SliceOp>(n.input(0), n.input(1), n.input(2), n.input(3), n.input(4)));
}

LogicalResult importFlatten(NodeContext &n) {
  if (failed(n.require(0, "input"))) {
    return failure();
  }
  Value x = n.input(0);
  int64_t axis = n.intAttr("axis", 1);
  if (!n.hasRank(x)) {
    Value before = n.emit<graph::ShapeOp>(x, 0, n.builder.getI64IntegerAttr(axis));
    Value behind = n.emit<graph::ShapeOp>(x, axis, IntegerAttr());
    Value rows = n.reduce(graph::ReduceKind::Prod, before, {0}, /*keepDims=*/true);
    Value columns = n.reduce(graph::ReduceKind::Prod, behind, {0}, /*keepDims=*/true);
    return n.yield(n.emit<graph::ReshapeOp>(x, n.concat({rows, columns}, 0), true));
  }
  SmallVector<OpenDim> dims = dimsOf(n, x);
  int64_t rank = static_cast<int64_t>(dims.size());
  // The axis may equal the rank.
  FailureOr<int64_t> cut = axis == rank ? FailureOr<int64_t>(rank) : n.axis(axis, rank);
  if (failed(cut)) {
    return failure();
  }
  OpenDim rows = int64_t(1);
  OpenDim columns = int64_t(1);
  for (int64_t i = 0; i < rank; ++i) {
    OpenDim &product = i < *cut ? rows : columns;
    product = multiply(n, product, dims[i]);
  }
  return n.yield(reshapeTo(n, x, {rows, columns}));
}

LogicalResult importExpand(NodeContext &n) {
  if (failed(n.require(0, "input")) || failed(n.require(1, "shape"))) {
    return failure();
  }
  return n.yield(n.emit<graph::ExpandOp>(n.input(0), n.input(1)));
}

/// Imports Tile before opset 6: one count along one axis, both scalar inputs.
LogicalResult importOldTile(NodeContext &n) {
  FailureOr<int64_t> rank = n.rank(n.input(0));
  std::optional<Tensor> count = n.known(n.input(1));
  std::optional<Tensor> along = n.known(n.input(2));
  if (failed(rank)) {
    return failure();
  }
  // Both have the element type of the tiled tensor.
  auto isNumber = [](const std::optional<Tensor> &tensor) {
    return tensor && tensor->size() == 1 && (isFloat(tensor->type()) || isInteger(tensor->type()));
  };
  if (!isNumber(count) || !isNumber(along)) {
    return n.unsupported() << "of opset 1 unless 'tiles' and 'axis' are numeric constants";
  }
  FailureOr<int64_t> axis = n.axis(along->asInt(0), *rank);
  if (failed(axis)) {
    return failure();
  }
  Shape repeats(*rank, 1);
  repeats[*axis] = count->asInt(0);
  return n.yield(n.emit<graph::TileOp>(n.input(0), n.ints(repeats)));
}

LogicalResult importTile(NodeContext &n) {
  if (failed(n.require(0, "input")) || failed(n.require(1, "repeats"))) {
    return failure();
  }
  if (n.opset() < 6) {
    return importOldTile(n);
  }
  return n.yield(n.emit<graph::TileOp>(n.input(0), n.input(1)));
}

LogicalResult importPad(NodeContext &n) {
  if (failed(n.require(0, "data"))) {
    return failure();
  }
  std::string modeName = n.stringAttr("mode", "constant");
  std::optional<graph::PadMode> mode = graph::symbolizePadMode(modeName);
  if (!mode) {
    return n.error() << "has mode '" << modeName << "', expected constant, reflect, edge or wrap";
  }
  if (n.opset() < 11) {
    Value pads = n.ints(n.intsAttr(n.opset() < 2 ? "paddings" : "pads"));
    Value value = n.scalarLike(n.input(0), n.floatAttr("value", 0));
    return n.yield(n.emit<graph::PadOp>(n.input(0), pads, value, Value(), *mode));
  }
  if (failed(n.require(1, "pads"))) {
    return failure();
  }
  return n.yield(n.emit<graph::PadOp>(n.input(0), n.input(1), n.input(2), n.input(3), *mode));
}

LogicalResult importShape(NodeContext &n) {
  if (failed(n.require(0, "data"))) {
    return failure();
  }
  IntegerAttr end =
      n.hasAttr("end") ? n.builder.getI64IntegerAttr(n.intAttr("end", 0)) : IntegerAttr();
  return n.yield(n.emit<graph::ShapeOp>(n.input(0), n.intAttr("start", 0), end));
}

LogicalResult importSize(NodeContext &n) {
  if (failed(n.require(0, "data"))) {
    return failure();
  }
  auto type = dyn_cast<RankedTensorType>(n.input(0).getType());
  if (type && type.hasStaticShape()) {
    return n.yield(n.intScalar(type.getNumElements()));
  }
  Value shape = n.emit<graph::ShapeOp>(n.input(0), 0, IntegerAttr());
  return n.yield(n.reduce(graph::ReduceKind::Prod, shape, {0}, /*keepDims=*/false));
}

LogicalResult importIdentity(NodeContext &n) {
  return failed(n.require(0, "input")) ? failure() : n.yield(n.input(0));
}

LogicalResult importTrilu(NodeContext &n) {
  if (failed(n.require(0, "input"))) {
    return failure();
  }
  bool isUpper = n.intAttr("upper", 1) != 0;
  return n.yield(n.emit<graph::TriluOp>(n.input(0), n.input(1), isUpper));
}

LogicalResult importBitCast(NodeContext &n) {
  FailureOr<ElementType> to = n.elementTypeAttr("to", ElementType::Undefined);
  if (failed(n.require(0, "input")) || failed(to)) {
    return failure();
  }
  return n.yield(n.emit<graph::BitcastOp>(n.input(0), toMlir(*to, n.builder.getContext())));
}

} // namespace

llvm::ArrayRef<OpRow> tensorRows() {
  static const OpRow kRows[] = {
      {"BitCast", importBitCast},
      {"Concat", importConcat},
      {"Expand", importExpand},
      {"Flatten", importFlatten},
      {"Identity", importIdentity},
      {"Pad", importPad},
      {"Reshape", importReshape},
      {"Shape", importShape},
      {"Size", importSize},
      {"Slice", importSlice},
      {"Split", importSplit},
      {"Tile", importTile, "before opset 6, 'tiles' and 'axis' must be constant"},
      {"Transpose", importTranspose},
      {"Trilu", importTrilu},
  };
  return kRows;
}

} // namespace convoy::import
