// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Type rules of Reduction.td.

#include "Graph/Graph.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace convoy::graph {
namespace {

bool isNumber(Type element) {
  ElementType type = fromMlir(element);
  return isFloat(type) || isInteger(type);
}

/// Returns whether an axis or a length may have this type. Bool is not allowed.
bool isPosition(Type element) { return element.isSignlessInteger() && !element.isInteger(1); }

/// Returns the normalized axis of `input`. Emits an error that names the valid
/// range.
FailureOr<int64_t> checkAxis(TypeInference &inference, int64_t axis, int64_t rank) {
  std::optional<int64_t> normalized = normalizeAxis(axis, rank);
  if (normalized) {
    return *normalized;
  }
  return FailureOr<int64_t>(inference.error() << "has axis " << axis << ", expected a value in ["
                                              << -rank << ", " << rank << ")");
}

/// Returns the dimensions in `axes` ([reduce.1]).
FailureOr<llvm::SmallBitVector> reducedDims(TypeInference &inference, ArrayRef<int64_t> axes,
                                            int64_t rank) {
  llvm::SmallBitVector reduced(rank);
  for (int64_t axis : axes) {
    FailureOr<int64_t> dim = checkAxis(inference, axis, rank);
    if (failed(dim)) {
      return failure();
    }
    if (reduced.test(*dim)) {
      return FailureOr<llvm::SmallBitVector>(
          inference.error() << "has axis " << *dim << " twice in 'axes', expected distinct axes");
    }
    reduced.set(*dim);
  }
  return reduced;
}

/// Returns the shape after each dimension in `reduced` became 1 or was removed.
Shape reducedShape(ArrayRef<int64_t> shape, const llvm::SmallBitVector &reduced, bool keepDims) {
  Shape result;
  for (auto [i, dim] : llvm::enumerate(shape)) {
    if (!reduced.test(i)) {
      result.push_back(dim);
    } else if (keepDims) {
      result.push_back(1);
    }
  }
  return result;
}

/// Sets the type of a reduction whose axes are unknown.
void setUnknownAxes(TypeInference &inference, ReduceOp op, Type element) {
  int64_t rank = inference.shape(op.getInput()).size();
  if (op.getKeepDims()) {
    inference.set(0, element, Shape(rank, kDynamic));
    return;
  }
  bool isCounted = inference.hasRank(op.getAxes()) && inference.shape(op.getAxes()).size() == 1;
  int64_t count = isCounted ? inference.shape(op.getAxes())[0] : kDynamic;
  if (count <= 0 || count > rank) { // unknown, or empty, whose meaning depends on an attribute
    inference.setUnranked(0, element);
    return;
  }
  inference.set(0, element, Shape(rank - count, kDynamic));
}

} // namespace

LogicalResult ReduceOp::inferTypes(TypeInference &inference) {
  Type element = inference.elementType(getInput());
  bool takesBooleans = getKind() == ReduceKind::Max || getKind() == ReduceKind::Min;
  if (!isNumber(element) && !(takesBooleans && fromMlir(element) == ElementType::Bool)) {
    return inference.error() << stringifyReduceKind(getKind()) << " expects "
                             << (takesBooleans ? "a numeric type or bool" : "a numeric type")
                             << ", got " << element;
  }
  if (getAxes() && !isPosition(inference.elementType(getAxes()))) {
    return inference.error() << "expects axes of an integer type, got "
                             << inference.type(getAxes());
  }
  if (!inference.hasRank(getInput())) {
    inference.setUnranked(0, element);
    return success();
  }
  Shape shape = inference.shape(getInput());
  int64_t rank = shape.size();
  std::optional<Shape> axes = getAxes() ? inference.ints(getAxes()) : Shape();
  if (!axes) {
    setUnknownAxes(inference, *this, element);
    return success();
  }
  FailureOr<llvm::SmallBitVector> reduced = reducedDims(inference, *axes, rank);
  if (failed(reduced)) {
    return failure();
  }
  if (axes->empty() && !getNoopWithEmptyAxes()) {
    reduced->set();
  }
  inference.set(0, element, reducedShape(shape, *reduced, getKeepDims()));
  return success();
}

LogicalResult ArgReduceOp::inferTypes(TypeInference &inference) {
  Type element = inference.elementType(getInput());
  if (!isNumber(element)) {
    return inference.error() << "expects an input of a numeric type, got " << element;
  }
  Type index = IntegerType::get(getContext(), 64);
  if (!inference.hasRank(getInput())) {
    inference.setUnranked(0, index);
    return success();
  }
  Shape shape = inference.shape(getInput());
  FailureOr<int64_t> axis = checkAxis(inference, getAxis(), shape.size());
  if (failed(axis)) {
    return failure();
  }
  if (shape[*axis] == 0) {
    return inference.error() << "expects at least one element along axis " << *axis << ", got "
                             << inference.type(getInput());
  }
  llvm::SmallBitVector reduced(shape.size());
  reduced.set(*axis);
  inference.set(0, index, reducedShape(shape, reduced, getKeepDims()));
  return success();
}

LogicalResult CumulativeOp::inferTypes(TypeInference &inference) {
  Type element = inference.elementType(getInput());
  if (!isNumber(element)) {
    return inference.error() << stringifyCumulativeKind(getKind())
                             << " expects a numeric type, got " << element;
  }
  if (!isPosition(inference.elementType(getAxis()))) {
    return inference.error() << "expects an axis of an integer type, got "
                             << inference.type(getAxis());
  }
  if (!inference.hasRank(getInput())) {
    inference.setUnranked(0, element);
    return success();
  }
  Shape shape = inference.shape(getInput());
  if (std::optional<Shape> axis = inference.ints(getAxis())) {
    if (axis->size() != 1) {
      return inference.error() << "expects one axis, got " << axis->size();
    }
    if (failed(checkAxis(inference, axis->front(), shape.size()))) {
      return failure();
    }
  }
  inference.set(0, element, shape);
  return success();
}

LogicalResult DetOp::inferTypes(TypeInference &inference) {
  Type element = inference.elementType(getInput());
  if (!isFloat(fromMlir(element))) {
    return inference.error() << "expects an input of a floating-point type, got " << element;
  }
  if (!inference.hasRank(getInput())) {
    inference.setUnranked(0, element);
    return success();
  }
  Shape shape = inference.shape(getInput());
  size_t rank = shape.size();
  bool isSquare = rank >= 2 && (shape[rank - 1] == shape[rank - 2] || shape[rank - 1] == kDynamic ||
                                shape[rank - 2] == kDynamic);
  if (!isSquare) { // [det.1]
    return inference.error() << "expects square matrices in the last two dimensions, got "
                             << inference.type(getInput());
  }
  inference.set(0, element, ArrayRef<int64_t>(shape).drop_back(2));
  return success();
}

/// Returns the number of bins along the transformed axis, or kDynamic if
/// unknown.
static FailureOr<int64_t> binsOf(TypeInference &inference, DFTOp op, int64_t dim) {
  int64_t length = dim;
  if (op.getLength()) {
    std::optional<Shape> given = inference.ints(op.getLength());
    if (given && (given->size() != 1 || given->front() < 1)) {
      return FailureOr<int64_t>(inference.error()
                                << "expects 'dft_length' to be one positive integer");
    }
    length = given ? given->front() : kDynamic;
  } else if (op.getInverse() && op.getOnesided() && dim != kDynamic) {
    length = dim < 1 ? 0 : 2 * (dim - 1);
  }
  bool isHalved = op.getOnesided() && !op.getInverse();
  return isHalved && length != kDynamic ? length / 2 + 1 : length;
}

LogicalResult DFTOp::inferTypes(TypeInference &inference) {
  Type element = inference.elementType(getInput());
  if (!isFloat(fromMlir(element))) {
    return inference.error() << "expects an input of a floating-point type, got " << element;
  }
  for (Value scalar : {getLength(), getAxis()}) {
    if (scalar && !isPosition(inference.elementType(scalar))) {
      return inference.error() << "expects length and axis of an integer type, got "
                               << inference.type(scalar);
    }
  }
  if (!inference.hasRank(getInput())) {
    inference.setUnranked(0, element);
    return success();
  }
  Shape shape = inference.shape(getInput());
  int64_t rank = shape.size();
  int64_t parts = rank >= 2 ? shape.back() : 0;
  if (parts != 1 && parts != 2 && parts != kDynamic) {
    return inference.error() << "expects a last dimension of size 1 (real) or 2 (complex), got "
                             << inference.type(getInput());
  }
  // The inverse transform of one-sided bins is real; every other result is
  // complex.
  shape.back() = getInverse() && getOnesided() ? 1 : 2;
  std::optional<Shape> axes = getAxis() ? inference.ints(getAxis()) : Shape{-2};
  if (!axes) {
    for (int64_t i = 0; i < rank - 1; ++i) {
      shape[i] = kDynamic;
    }
    inference.set(0, element, shape);
    return success();
  }
  std::optional<int64_t> axis =
      axes->size() == 1 ? normalizeAxis(axes->front(), rank) : std::nullopt;
  if (!axis || *axis == rank - 1) {
    return inference.error() << "expects one axis in [" << -rank << ", " << rank
                             << ") other than the last dimension";
  }
  FailureOr<int64_t> bins = binsOf(inference, *this, shape[*axis]);
  if (failed(bins)) {
    return failure();
  }
  shape[*axis] = *bins;
  inference.set(0, element, shape);
  return success();
}

} // namespace convoy::graph
