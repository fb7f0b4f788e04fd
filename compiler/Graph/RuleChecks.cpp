// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements checks that the type rules of several op families share.

#include "Graph/RuleChecks.h"

using namespace mlir;

namespace convoy::graph {

Shape shapeOrUnknown(TypeInference &inference, Value value, int64_t rank) {
  return inference.hasRank(value) ? inference.shape(value) : Shape(rank, kDynamic);
}

LogicalResult expectRank(TypeInference &inference, Value value, int64_t rank, StringRef operand) {
  if (!inference.hasRank(value) || inference.shape(value).size() == static_cast<size_t>(rank)) {
    return success();
  }
  return inference.error() << "expects " << operand << " of rank " << rank << ", got "
                           << inference.type(value);
}

LogicalResult expectFloats(TypeInference &inference, Value value, StringRef operand) {
  Type element = inference.elementType(value);
  if (isFloat(fromMlir(element))) {
    return success();
  }
  return inference.error() << "expects " << operand << " of a floating-point type, got " << element;
}

LogicalResult expectNumbers(TypeInference &inference, Value value, StringRef operand) {
  Type element = inference.elementType(value);
  ElementType type = fromMlir(element);
  if (isFloat(type) || isInteger(type)) {
    return success();
  }
  return inference.error() << "expects " << operand << " of a numeric type, got " << element;
}

LogicalResult expectElementsLike(TypeInference &inference, Value value, Value like,
                                 StringRef operand) {
  if (!value || inference.elementType(value) == inference.elementType(like)) {
    return success();
  }
  return inference.error() << "expects " << operand << " of " << inference.elementType(like)
                           << " like the first operand, got " << inference.elementType(value)
                           << "; insert a Cast";
}

LogicalResult expectVector(TypeInference &inference, Value value, int64_t size, StringRef operand) {
  if (!value || !inference.hasRank(value)) {
    return success();
  }
  Shape shape = inference.shape(value);
  if (shape.size() == 1 && mayEqual(shape[0], size)) {
    return success();
  }
  InFlightDiagnostic diag = inference.error() << "expects " << operand << " to be a vector";
  if (size != kDynamic) {
    diag << " of " << size << " elements";
  }
  return diag << ", got " << inference.type(value);
}

} // namespace convoy::graph
