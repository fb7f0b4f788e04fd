// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the type lattice of JoinTypes.h: static shape, dynamic dimensions,
// unknown rank.

#include "Graph/JoinTypes.h"
#include "Graph/Graph.h"

using namespace mlir;

namespace convoy::graph {

static Type joinTensors(TensorType a, TensorType b) {
  if (a.getElementType() != b.getElementType()) {
    return nullptr;
  }
  auto left = dyn_cast<RankedTensorType>(a);
  auto right = dyn_cast<RankedTensorType>(b);
  if (!left || !right || left.getRank() != right.getRank()) {
    return UnrankedTensorType::get(a.getElementType());
  }
  Shape shape(left.getShape().begin(), left.getShape().end());
  for (auto [dim, other] : llvm::zip(shape, right.getShape())) {
    dim = dim == other ? dim : kDynamic;
  }
  return RankedTensorType::get(shape, a.getElementType());
}

Type joinTypes(Type a, Type b) {
  if (a == b) {
    return a;
  }
  if (auto left = dyn_cast<OptionalType>(a)) {
    auto right = dyn_cast<OptionalType>(b);
    Type element = joinTypes(left.getElement(), right ? right.getElement() : b);
    return element ? OptionalType::get(a.getContext(), element) : Type();
  }
  if (isa<OptionalType>(b)) {
    return joinTypes(b, a);
  }
  auto leftSequence = dyn_cast<SequenceType>(a);
  auto rightSequence = dyn_cast<SequenceType>(b);
  if (leftSequence && rightSequence) {
    Type element = joinTypes(leftSequence.getElement(), rightSequence.getElement());
    return element ? SequenceType::get(a.getContext(), element) : Type();
  }
  auto leftTensor = dyn_cast<TensorType>(a);
  auto rightTensor = dyn_cast<TensorType>(b);
  return leftTensor && rightTensor ? joinTensors(leftTensor, rightTensor) : Type();
}

Type withoutDims(Type type) {
  if (auto optional = dyn_cast<OptionalType>(type)) {
    return OptionalType::get(type.getContext(), withoutDims(optional.getElement()));
  }
  if (auto sequence = dyn_cast<SequenceType>(type)) {
    return SequenceType::get(type.getContext(), withoutDims(sequence.getElement()));
  }
  auto ranked = dyn_cast<RankedTensorType>(type);
  if (!ranked) {
    return type;
  }
  return RankedTensorType::get(Shape(ranked.getRank(), kDynamic), ranked.getElementType());
}

} // namespace convoy::graph
