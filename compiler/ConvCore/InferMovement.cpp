// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Type rules of the convcore ops that only move elements.

#include "ConvCore/ConvCore.h"

using namespace mlir;

namespace convoy::convcore {

using graph::TypeInference;

LogicalResult ConcatOp::inferTypes(TypeInference &inference) {
  if (getInputs().empty()) { // [concat.1]
    return inference.error() << "expects at least one input";
  }
  Shape result = inference.shape(getInputs().front());
  int64_t axis = getAxis();
  if (axis < 0 || axis >= static_cast<int64_t>(result.size())) {
    return inference.error() << "expects an axis of " << inference.type(getInputs().front())
                             << ", got " << axis;
  }
  Type element = inference.elementType(getInputs().front());
  int64_t sum = 0;
  for (Value input : getInputs()) {
    Shape shape = inference.shape(input);
    bool isAlike = shape.size() == result.size() && inference.elementType(input) == element;
    sum += isAlike ? shape[axis] : 0;
    if (isAlike) {
      shape[axis] = result[axis];
    }
    if (!isAlike || shape != result) {
      return inference.error() << "expects inputs that differ only in dimension " << axis
                               << ", got " << inference.type(getInputs().front()) << " and "
                               << inference.type(input);
    }
  }
  result[axis] = sum;
  inference.set(0, element, result);
  return success();
}

LogicalResult SliceOp::inferTypes(TypeInference &inference) {
  Shape shape = inference.shape(getInput());
  bool isInside = getOffsets().size() == shape.size() && getSizes().size() == shape.size();
  for (size_t i = 0; isInside && i < shape.size(); ++i) {
    int64_t offset = getOffsets()[i];
    int64_t size = getSizes()[i];
    isInside = offset >= 0 && size >= 0 && size <= shape[i] && offset <= shape[i] - size;
  }
  if (!isInside) { // [slice.1]
    return inference.error() << "expects an offset and a size per dimension, and a box inside "
                             << inference.type(getInput());
  }
  inference.set(0, inference.elementType(getInput()), getSizes());
  return success();
}

LogicalResult ReshapeOp::inferTypes(TypeInference &inference) {
  std::optional<int64_t> count = elementCount(getShape());
  if (!count || count != elementCount(inference.shape(getInput()))) { // [reshape.1]
    return inference.error() << "expects a shape with as many elements as "
                             << inference.type(getInput());
  }
  inference.set(0, inference.elementType(getInput()), getShape());
  return success();
}

/// Returns whether the list contains each of 0 to rank - 1 once.
static bool isPermutation(llvm::ArrayRef<int64_t> list, int64_t rank) {
  llvm::SmallVector<int64_t> sorted(list);
  llvm::sort(sorted);
  for (auto [i, value] : llvm::enumerate(sorted)) {
    if (value != static_cast<int64_t>(i)) {
      return false;
    }
  }
  return static_cast<int64_t>(sorted.size()) == rank;
}

LogicalResult TransposeOp::inferTypes(TypeInference &inference) {
  Shape shape = inference.shape(getInput());
  if (!isPermutation(getPermutation(), static_cast<int64_t>(shape.size()))) { // [transpose.1]
    return inference.error() << "expects a permutation that contains each dimension of "
                             << inference.type(getInput()) << " once";
  }
  Shape result;
  for (int64_t from : getPermutation()) {
    result.push_back(shape[from]);
  }
  inference.set(0, inference.elementType(getInput()), result);
  return success();
}

LogicalResult RearrangeOp::inferTypes(TypeInference &inference) {
  std::optional<int64_t> size = elementCount(inference.shape(getInput()));
  if (elementCount(getApart()) != size || elementCount(getShape()) != size) { // [rearrange.1]
    return inference.error() << "expects `apart` and `shape` with as many elements as "
                             << inference.type(getInput());
  }
  if (!isPermutation(getPermutation(), static_cast<int64_t>(getApart().size()))) {
    return inference.error() // [rearrange.2]
           << "expects a permutation that contains each of the " << getApart().size()
           << " dimensions of `apart` once";
  }
  inference.set(0, inference.elementType(getInput()), getShape());
  return success();
}

LogicalResult CopyOp::inferTypes(TypeInference &inference) {
  inference.set(0, inference.type(getInput()));
  return success();
}

} // namespace convoy::convcore
