// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the interface of type rules. Infer<Family>.cpp holds the rules.

#include "Graph/TypeInference.h"
#include "Graph/Constant.h"
#include "Support/TensorLimits.h"

#include "Graph/TypeInference.cpp.inc"

using namespace mlir;

namespace convoy::graph {

std::optional<Tensor> Knowledge::value(Value value) { return constantValue(value); }

Type TypeInference::elementType(Value value) const {
  // The verifier also rejects a sequence operand of a tensor op, but it runs
  // later.
  auto tensor = dyn_cast<TensorType>(type(value));
  return tensor ? tensor.getElementType() : NoneType::get(op->getContext());
}

bool TypeInference::hasRank(Value value) const {
  return value && isa<RankedTensorType>(type(value));
}

Shape TypeInference::shape(Value value) const {
  auto ranked = cast<RankedTensorType>(type(value));
  return Shape(ranked.getShape().begin(), ranked.getShape().end());
}

std::optional<Tensor> TypeInference::value(Value value) const {
  return value ? knowledge.value(value) : std::nullopt;
}

std::optional<Shape> TypeInference::ints(Value value) const {
  std::optional<Tensor> tensor = this->value(value);
  return tensor && isInteger(tensor->type()) ? std::optional<Shape>(tensor->ints()) : std::nullopt;
}

void TypeInference::set(unsigned result, Type element, ArrayRef<int64_t> shape) {
  resultTypes[result] = RankedTensorType::get(shape, element);
}

void TypeInference::setUnranked(unsigned result, Type element) {
  resultTypes[result] = UnrankedTensorType::get(element);
}

std::optional<Shape> broadcastShapes(ArrayRef<int64_t> lhs, ArrayRef<int64_t> rhs) {
  if (lhs.size() < rhs.size()) {
    std::swap(lhs, rhs);
  }
  Shape result(lhs.begin(), lhs.end());
  size_t offset = lhs.size() - rhs.size();
  for (size_t i = 0; i < rhs.size(); ++i) {
    int64_t a = lhs[offset + i];
    int64_t b = rhs[i];
    if (a == b || b == 1) {
      continue;
    }
    if (a == 1 || a == kDynamic) {
      result[offset + i] = b;
    } else if (b != kDynamic) {
      return std::nullopt;
    }
  }
  return result;
}

std::optional<int64_t> normalizeAxis(int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank) {
    return std::nullopt;
  }
  return axis < 0 ? axis + rank : axis;
}

/// Checks that the known part of a shape is within the limits.
static LogicalResult checkSize(Operation *op, Type type) {
  auto ranked = dyn_cast<RankedTensorType>(type);
  if (!ranked) {
    return success();
  }
  if (ranked.getRank() > kMaxRank) {
    return op->emitOpError("produces a tensor of ")
           << ranked.getRank() << " dimensions, expected at most " << kMaxRank;
  }
  if (isWithinElementLimit(ranked.getShape())) {
    return success();
  }
  return op->emitOpError("produces a tensor of shape ")
         << ranked << " with more than 2^48 elements; check the shape operands of this node";
}

FailureOr<SmallVector<Type>> inferTypesOf(Operation *op, Knowledge &knowledge) {
  TypeInference inference(op, knowledge);
  if (failed(cast<TypeInferenceOpInterface>(op).inferTypes(inference))) {
    return failure();
  }
  for (Type type : inference.results()) {
    if (failed(checkSize(op, type))) {
      return failure();
    }
  }
  return SmallVector<Type>(inference.results());
}

LogicalResult inferResultTypes(Operation *op, Knowledge &knowledge) {
  if (!isa<TypeInferenceOpInterface>(op)) {
    return success();
  }
  FailureOr<SmallVector<Type>> types = inferTypesOf(op, knowledge);
  if (failed(types)) {
    return failure();
  }
  for (auto [result, type] : llvm::zip(op->getResults(), *types)) {
    result.setType(type);
  }
  return success();
}

} // namespace convoy::graph
