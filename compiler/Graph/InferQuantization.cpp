// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Type rules of the quantization ops of NN.td. quantize_linear and
// dequantize_linear share one rule for the shapes of scale and zero point.

#include "Graph/Graph.h"

using namespace mlir;

namespace convoy::graph {
namespace {

bool isOpenOr(int64_t dim, int64_t expected) {
  return dim == expected || dim == kDynamic || expected == kDynamic;
}

/// Returns whether `scale` is the shape of a blocked scale: one entry per
/// `blockSize` elements of `axis`.
bool isBlockedScale(ArrayRef<int64_t> input, ArrayRef<int64_t> scale, int64_t axis,
                    int64_t blockSize) {
  if (input.size() != scale.size()) {
    return false;
  }
  for (size_t i = 0; i < input.size(); ++i) {
    int64_t expected = input[i];
    if (static_cast<int64_t>(i) == axis && input[i] != kDynamic) {
      expected = input[i] / blockSize + (input[i] % blockSize != 0);
    }
    if (!isOpenOr(scale[i], expected)) {
      return false;
    }
  }
  return true;
}

/// Checks that the scale matches the input per tensor, per axis or per block.
LogicalResult checkScale(TypeInference &inference, Value input, Value scale, int64_t axis,
                         int64_t blockSize) {
  if (blockSize < 0) {
    return inference.error() << "has blockSize " << blockSize << ", expected 0 or more";
  }
  if (!inference.hasRank(input) || !inference.hasRank(scale)) {
    return success();
  }
  Shape inputShape = inference.shape(input);
  Shape scaleShape = inference.shape(scale);
  int64_t rank = inputShape.size();
  if (scaleShape.empty() && blockSize == 0) {
    return success();
  }
  if (axis < 0 || axis >= rank) {
    return inference.error() << "has axis " << axis << ", expected a value in [0, " << rank << ")";
  }
  bool fits = blockSize > 0 ? isBlockedScale(inputShape, scaleShape, axis, blockSize)
                            : scaleShape.size() == 1 && isOpenOr(scaleShape[0], inputShape[axis]);
  if (fits) {
    return success();
  }
  InFlightDiagnostic diag = inference.error()
                            << "has a scale of type " << inference.type(scale) << " for input "
                            << inference.type(input) << ", expected ";
  if (blockSize > 0) {
    diag << "one entry per block of " << blockSize << " along axis " << axis;
  } else {
    diag << "a scalar or a vector of size " << inputShape[axis];
  }
  return diag;
}

/// Checks that the zero point has the scale's shape and type `expected`
/// ([quantize_linear.1]).
LogicalResult checkZeroPoint(TypeInference &inference, Value scale, Value zeroPoint,
                             Type expected) {
  if (!zeroPoint) {
    return success();
  }
  if (inference.elementType(zeroPoint) != expected) {
    return inference.error() << "expects a zero point of element type " << expected << ", got "
                             << inference.elementType(zeroPoint);
  }
  if (!inference.hasRank(scale) || !inference.hasRank(zeroPoint)) {
    return success();
  }
  Shape scaleShape = inference.shape(scale);
  Shape zeroShape = inference.shape(zeroPoint);
  bool isEqual = scaleShape.size() == zeroShape.size() &&
                 llvm::all_of(llvm::zip(scaleShape, zeroShape), [](auto dims) {
                   return isOpenOr(std::get<0>(dims), std::get<1>(dims));
                 });
  if (isEqual) {
    return success();
  }
  return inference.error() << "expects scale and zero point of the same shape, got "
                           << inference.type(scale) << " and " << inference.type(zeroPoint);
}

/// Returns whether the type is an integer of at most 32 bits or a float of at
/// most 8 bits.
bool isQuantized(Type element) {
  ElementType type = fromMlir(element);
  return (isInteger(type) && bitWidth(type) <= 32) || (isFloat(type) && bitWidth(type) <= 8);
}

void setLike(TypeInference &inference, Value input, Type element) {
  if (inference.hasRank(input)) {
    inference.set(0, element, inference.shape(input));
  } else {
    inference.setUnranked(0, element);
  }
}

} // namespace

LogicalResult QuantizeLinearOp::inferTypes(TypeInference &inference) {
  ElementType input = fromMlir(inference.elementType(getInput()));
  if (!isFloat(input) && input != ElementType::I32) {
    return inference.error() << "expects an input of a floating-point type or i32, got "
                             << inference.elementType(getInput());
  }
  if (!isFloat(fromMlir(inference.elementType(getScale())))) {
    return inference.error() << "expects a scale of a floating-point type, got "
                             << inference.elementType(getScale());
  }
  if (!isQuantized(getTo())) {
    return inference.error() << "cannot quantize to " << getTo()
                             << "; expected an integer type of at most 32 bits or a floating-point "
                                "type of at most 8 bits";
  }
  if (failed(checkScale(inference, getInput(), getScale(), getAxis(), getBlockSize())) ||
      failed(checkZeroPoint(inference, getScale(), getZeroPoint(), getTo()))) {
    return failure();
  }
  setLike(inference, getInput(), getTo());
  return success();
}

LogicalResult DequantizeLinearOp::inferTypes(TypeInference &inference) {
  Type input = inference.elementType(getInput());
  if (!isQuantized(input) && !isInteger(fromMlir(input))) { // sums of integer layers have 64 bits
    return inference.error() << "cannot dequantize " << input
                             << "; expected an integer type or a floating-point type of at most 8 "
                                "bits";
  }
  if (!isFloat(fromMlir(inference.elementType(getScale()))) || !isFloat(fromMlir(getTo()))) {
    return inference.error() << "expects scale and result of a floating-point type, got "
                             << inference.elementType(getScale()) << " and " << getTo();
  }
  if (failed(checkScale(inference, getInput(), getScale(), getAxis(), getBlockSize())) ||
      failed(checkZeroPoint(inference, getScale(), getZeroPoint(), input))) {
    return failure();
  }
  setLike(inference, getInput(), getTo());
  return success();
}

LogicalResult DynamicScaleOp::inferTypes(TypeInference &inference) {
  Type element = inference.elementType(getInput());
  if (!element.isF32()) { // [dynamic_scale.1]
    return inference.error() << "expects an input of f32, got " << inference.type(getInput());
  }
  inference.set(0, element, {});
  inference.set(1, toMlir(ElementType::U8, getContext()), {});
  return success();
}

} // namespace convoy::graph
