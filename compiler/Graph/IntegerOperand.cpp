// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements checks for operands that define a shape.

#include "Graph/IntegerOperand.h"
#include "Support/TensorLimits.h"

using namespace mlir;

namespace convoy::graph {

FailureOr<IntegerOperand> readIntegers(TypeInference &inference, Value operand, StringRef name) {
  IntegerOperand result;
  if (!operand) {
    return result;
  }
  result.isPresent = true;
  if (!isInteger(fromMlir(inference.elementType(operand)))) {
    return FailureOr<IntegerOperand>(inference.error()
                                     << "expects '" << name << "' to have an integer type, got "
                                     << inference.type(operand));
  }
  result.length = kDynamic;
  if (inference.hasRank(operand)) {
    Shape shape = inference.shape(operand);
    if (shape.size() > 1) {
      return FailureOr<IntegerOperand>(inference.error()
                                       << "expects '" << name << "' to be a vector, got "
                                       << inference.type(operand));
    }
    result.length = shape.empty() ? 1 : shape[0];
  }
  result.values = inference.ints(operand);
  if (result.values) {
    result.length = static_cast<int64_t>(result.values->size());
  }
  return result;
}

FailureOr<std::optional<int64_t>> readInteger(TypeInference &inference, Value operand,
                                              StringRef name) {
  FailureOr<IntegerOperand> list = readIntegers(inference, operand, name);
  if (failed(list)) {
    return failure();
  }
  if (list->isPresent && list->length != kDynamic && list->length != 1) {
    return FailureOr<std::optional<int64_t>>(
        inference.error() << "expects '" << name << "' to have one element, got " << list->length);
  }
  return list->values ? std::optional<int64_t>(list->values->front()) : std::nullopt;
}

LogicalResult checkLength(TypeInference &inference, StringRef name, const IntegerOperand &operand,
                          int64_t expected, StringRef label) {
  bool isKnown = operand.isPresent && operand.length != kDynamic && expected != kDynamic;
  if (!isKnown || operand.length == expected) {
    return success();
  }
  return inference.error() << "expects " << expected << " values in '" << name << "', got "
                           << operand.length << " " << label;
}

LogicalResult checkAxis(TypeInference &inference, int64_t axis, int64_t rank, StringRef label) {
  if (axis >= 0 && axis < rank) {
    return success();
  }
  return inference.error() << "expects an axis in [0, " << rank << "), got " << axis << " "
                           << label;
}

FailureOr<Shape> checkAxes(TypeInference &inference, ArrayRef<int64_t> axes, int64_t rank,
                           StringRef label) {
  Shape result;
  SmallVector<bool> isNamed(rank, false);
  for (int64_t axis : axes) {
    std::optional<int64_t> normalized = normalizeAxis(axis, rank);
    if (!normalized) {
      return FailureOr<Shape>(inference.error() << "expects axes in [" << -rank << ", " << rank
                                                << "), got " << axis << " " << label);
    }
    if (isNamed[*normalized]) {
      return FailureOr<Shape>(inference.error()
                              << "has axis " << axis << " twice, expected distinct axes " << label);
    }
    isNamed[*normalized] = true;
    result.push_back(*normalized);
  }
  return result;
}

LogicalResult setOpen(TypeInference &inference, unsigned result, Type element, int64_t rank) {
  if (rank == kDynamic) {
    inference.setUnranked(result, element);
    return success();
  }
  if (rank > kMaxRank) {
    return inference.error() << "produces a tensor of " << rank << " dimensions, expected at most "
                             << kMaxRank;
  }
  inference.set(result, element, Shape(rank, kDynamic));
  return success();
}

} // namespace convoy::graph
