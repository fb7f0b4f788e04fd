// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Type rules of Extent.td, and the shapes of outputs after a run.

#include "Graph/Extent.h"
#include "Graph/IntegerOperand.h"

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
