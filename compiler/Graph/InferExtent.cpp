// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Type rules of Extent.td, and the shapes of outputs after a run.

#include "Graph/Extent.h"
#include "Graph/IntegerOperand.h"
#include "Graph/RuleChecks.h"

using namespace mlir;

namespace convoy::graph {
namespace {

void setExtents(TypeInference &inference, unsigned result, MLIRContext *context) {
  inference.set(result, IntegerType::get(context, 64), {1});
}

bool isStatic(TypeInference &inference, Value value) {
  auto type = dyn_cast<RankedTensorType>(inference.type(value));
  return type && type.hasStaticShape();
}

} // namespace

CompressSpan::CompressSpan(ArrayRef<int64_t> input, std::optional<int64_t> axis, int64_t conditions)
    : outer(axis ? elementCount(input.take_front(*axis)).value_or(0) : 1),
      slices(axis ? input[*axis] : elementCount(input).value_or(0)),
      inner(axis ? elementCount(input.drop_front(*axis + 1)).value_or(0) : 1),
      selectable(std::min(slices, conditions)) {}

LogicalResult BoundedCompressOp::inferTypes(TypeInference &inference) {
  Type element = inference.elementType(getInput());
  bool hasRank = inference.hasRank(getCondition());
  if (fromMlir(inference.elementType(getCondition())) != ElementType::Bool ||
      (hasRank && inference.shape(getCondition()).size() != 1)) {
    return inference.error() << "expects a condition that is a vector of i1, got "
                             << inference.type(getCondition()) << " [bounded_compress.2]";
  }
  std::optional<int64_t> axis = getAxis();
  setExtents(inference, 1, getContext());
  if (axis && inference.hasRank(getInput()) &&
      failed(checkAxis(inference, *axis, inference.shape(getInput()).size(),
                       "[bounded_compress.1]"))) {
    return failure();
  }
  if (!isStatic(inference, getInput()) || !isStatic(inference, getCondition())) {
    inference.setUnranked(0, element);
    return success();
  }
  Shape shape = inference.shape(getInput());
  CompressSpan span(shape, axis, inference.shape(getCondition())[0]);
  if (axis) {
    shape[*axis] = span.selectable;
  } else {
    shape = {span.selectable};
  }
  inference.set(0, element, shape);
  return success();
}

LogicalResult BoundedNonZeroOp::inferTypes(TypeInference &inference) {
  ElementType type = fromMlir(inference.elementType(getInput()));
  if (!isFloat(type) && !isInteger(type) && type != ElementType::Bool) {
    return inference.error() << "expects an input of a numeric type, got "
                             << inference.type(getInput()) << " [bounded_non_zero.1]";
  }
  Type i64 = IntegerType::get(getContext(), 64);
  setExtents(inference, 1, getContext());
  if (!isStatic(inference, getInput())) {
    inference.set(0, i64, {kDynamic, kDynamic});
    return success();
  }
  Shape shape = inference.shape(getInput());
  inference.set(0, i64, {static_cast<int64_t>(shape.size()), *elementCount(shape)});
  return success();
}

LogicalResult SortSlicesOp::inferTypes(TypeInference &inference) {
  ElementType type = fromMlir(inference.elementType(getInput()));
  if (!isFloat(type) && !isInteger(type) && type != ElementType::Bool) {
    return inference.error() << "expects an input of a numeric type, got "
                             << inference.type(getInput()) << " [sort_slices.1]";
  }
  if (failed(expectRank(inference, getInput(), 3, "an input"))) {
    return failure();
  }
  Shape shape = shapeOrUnknown(inference, getInput(), 3);
  inference.set(0, IntegerType::get(getContext(), 64), {2, shape[0], shape[1]});
  return success();
}

LogicalResult GroupSlicesOp::inferTypes(TypeInference &inference) {
  if (failed(expectRank(inference, getInput(), 2, "an input")) ||
      failed(expectRank(inference, getOrder(), 3, "an order"))) {
    return failure();
  }
  Shape shape = shapeOrUnknown(inference, getInput(), 2);
  Shape order = shapeOrUnknown(inference, getOrder(), 3);
  if (!mayEqual(order[0], 2) || !mayEqual(order[1], 1) || !mayEqual(order[2], shape[0]) ||
      fromMlir(inference.elementType(getOrder())) != ElementType::I64) {
    return inference.error() << "expects the order of the slices of " << inference.type(getInput())
                             << ", got " << inference.type(getOrder()) << " [group_slices.1]";
  }
  inference.set(0, IntegerType::get(getContext(), 64), {2, shape[0]});
  return success();
}

LogicalResult BoundedUniqueOp::inferTypes(TypeInference &inference) {
  Type element = inference.elementType(getInput());
  Type i64 = IntegerType::get(getContext(), 64);
  std::optional<int64_t> axis = getAxis();
  if (!isStatic(inference, getInput())) {
    return inference.error() << "expects an input of static shape, got "
                             << inference.type(getInput()) << " [bounded_unique.1]";
  }
  Shape shape = inference.shape(getInput());
  if (axis && failed(checkAxis(inference, *axis, shape.size(), "[bounded_unique.1]"))) {
    return failure();
  }
  int64_t slices = axis ? shape[*axis] : *elementCount(shape);
  if (!inference.hasRank(getGroups()) || inference.elementType(getGroups()) != i64 ||
      inference.shape(getGroups()) != Shape({2, slices})) {
    return inference.error() << "expects groups of type tensor<2x" << slices << "xi64>, got "
                             << inference.type(getGroups()) << " [bounded_unique.2]";
  }
  inference.set(0, element, axis ? shape : Shape{slices});
  inference.set(1, i64, {slices});
  inference.set(2, i64, {slices});
  setExtents(inference, 3, getContext());
  return success();
}

LogicalResult BoundedSuppressionOp::inferTypes(TypeInference &inference) {
  if (!isStatic(inference, getBoxes()) || !isStatic(inference, getScores()) ||
      inference.shape(getScores()).size() != 3) {
    return inference.error() << "expects boxes N x B x 4 and scores N x classes x B of static "
                                "shape, got "
                             << inference.type(getBoxes()) << " and " << inference.type(getScores())
                             << " [bounded_suppression.1]";
  }
  Shape scores = inference.shape(getScores());
  int64_t classes = scores[0] * scores[1];
  if (inference.shape(getBoxes()) != Shape({scores[0], scores[2], 4}) ||
      !inference.hasRank(getOrder()) ||
      inference.shape(getOrder()) != Shape({2, classes, scores[2]})) {
    return inference.error() << "expects boxes and an order that match " << getScores().getType()
                             << ", got " << inference.type(getBoxes()) << " and "
                             << inference.type(getOrder()) << " [bounded_suppression.2]";
  }
  int64_t rows = getMaxRows();
  if (rows < 0 || rows > scores[2]) {
    return inference.error() << "expects at most " << scores[2] << " rows per class, got " << rows
                             << " [bounded_suppression.3]";
  }
  inference.set(0, IntegerType::get(getContext(), 64), {classes * rows, 3});
  setExtents(inference, 1, getContext());
  return success();
}

std::optional<Shape> actualShape(ArrayRef<int64_t> maximum, ArrayRef<int32_t> dims,
                                 ArrayRef<int64_t> extents) {
  Shape shape(maximum.begin(), maximum.end());
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] < 0) {
      continue;
    }
    if (i >= shape.size() || static_cast<size_t>(dims[i]) >= extents.size() ||
        extents[dims[i]] < 0 || extents[dims[i]] > maximum[i]) {
      return std::nullopt;
    }
    shape[i] = extents[dims[i]];
  }
  return shape;
}

Tensor firstElements(const Tensor &tensor, ArrayRef<int64_t> shape) {
  auto owner = std::make_shared<Tensor>(tensor);
  return Tensor::view(tensor.type(), shape, owner->raw(), owner);
}

} // namespace convoy::graph
