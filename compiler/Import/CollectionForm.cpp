// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the form of a collection from the ops that construct it.

#include "Import/CollectionForm.h"

using namespace mlir;

namespace convoy::import {

bool isCollection(Type type) { return isa<graph::SequenceType, graph::OptionalType>(type); }

std::optional<SmallVector<Value>> elementsOf(Value sequence) {
  auto op = sequence.getDefiningOp<graph::SequenceConstructOp>();
  return op ? std::optional<SmallVector<Value>>(SmallVector<Value>(op.getInputs())) : std::nullopt;
}

bool hasKnownForm(Value value) {
  if (auto optional = value.getDefiningOp<graph::OptionalOp>()) {
    return !optional.getValue() || hasKnownForm(optional.getValue());
  }
  return !isCollection(value.getType()) || elementsOf(value).has_value();
}

bool haveSameForm(Value a, Value b) {
  auto first = a.getDefiningOp<graph::OptionalOp>();
  auto second = b.getDefiningOp<graph::OptionalOp>();
  if (first && second) {
    bool isHeld = static_cast<bool>(first.getValue());
    bool isTensor = isHeld && !isCollection(first.getValue().getType());
    return isHeld == static_cast<bool>(second.getValue()) &&
           (!isHeld || isTensor || haveSameForm(first.getValue(), second.getValue()));
  }
  std::optional<SmallVector<Value>> left = elementsOf(a);
  std::optional<SmallVector<Value>> right = elementsOf(b);
  return left && right && left->size() == right->size();
}

void appendTensors(Value value, SmallVectorImpl<Value> &tensors) {
  if (auto optional = value.getDefiningOp<graph::OptionalOp>()) {
    if (optional.getValue()) {
      appendTensors(optional.getValue(), tensors);
    }
  } else if (std::optional<SmallVector<Value>> elements = elementsOf(value)) {
    llvm::append_range(tensors, *elements);
  } else {
    tensors.push_back(value);
  }
}

Value takeForm(NodeContext &n, Value like, ArrayRef<Value> &tensors) {
  if (auto optional = like.getDefiningOp<graph::OptionalOp>()) {
    Value held = optional.getValue() ? takeForm(n, optional.getValue(), tensors) : Value();
    return n.emit<graph::OptionalOp>(held, optional.getElementAttr());
  }
  auto sequence = like.getDefiningOp<graph::SequenceConstructOp>();
  size_t count = sequence ? sequence.getInputs().size() : 1;
  ArrayRef<Value> taken = tensors.take_front(count);
  tensors = tensors.drop_front(count);
  return sequence ? n.emit<graph::SequenceConstructOp>(taken, sequence.getElementAttr())
                  : taken.front();
}

/// Inserts a dimension of size 1. Returns null if the shape is unknown.
static Value unsqueezed(NodeContext &n, Value value, int64_t axis) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  std::optional<int64_t> plain =
      type && type.hasStaticShape() ? graph::normalizeAxis(axis, type.getRank() + 1) : std::nullopt;
  if (!plain) {
    return Value();
  }
  Shape shape(type.getShape().begin(), type.getShape().end());
  shape.insert(shape.begin() + *plain, 1);
  return n.reshape(value, shape);
}

Value joinValues(NodeContext &n, SmallVector<Value> values, int64_t axis, bool isNewAxis) {
  for (Value &value : values) {
    value = isNewAxis ? unsqueezed(n, value, axis) : value;
    if (!value || !n.hasRank(value)) {
      return Value();
    }
  }
  int64_t rank = cast<RankedTensorType>(values.front().getType()).getRank();
  FailureOr<int64_t> plain = n.axis(axis, rank);
  return failed(plain) ? Value() : n.concat(values, *plain);
}

} // namespace convoy::import
