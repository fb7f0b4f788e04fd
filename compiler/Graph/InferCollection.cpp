// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Type rules of Collection.td. The rules leave sizes that depend on data
// dynamic; only the reference interpreter runs these ops.

#include "Graph/Graph.h"
#include "Graph/JoinTypes.h"

using namespace mlir;

namespace convoy::graph {

/// Returns the sequence type of an operand. Emits an error and returns null if
/// the operand is not a sequence.
static SequenceType sequenceOf(Value value, TypeInference &inference) {
  auto type = dyn_cast<SequenceType>(inference.type(value));
  if (!type) {
    inference.error() << "expects a sequence, got " << inference.type(value);
  }
  return type;
}

/// Checks that the elements of a sequence are tensors. ONNX allows no other
/// element type, and unbounded nesting would exhaust the stack.
static LogicalResult checkElement(Type element, TypeInference &inference) {
  if (isa<TensorType>(element)) {
    return success();
  }
  return inference.error() << "expects a sequence of tensors, got elements of type " << element;
}

static bool isNumber(Type element) {
  ElementType type = fromMlir(element);
  return isFloat(type) || isInteger(type) || type == ElementType::Bool;
}

/// Checks that a position, if present, is one integer.
static LogicalResult checkPosition(Value position, TypeInference &inference) {
  auto type = position ? dyn_cast<TensorType>(inference.type(position)) : TensorType();
  bool isInt = type && isInteger(fromMlir(type.getElementType()));
  bool hasOther = type && type.hasStaticShape() && elementCount(type.getShape()) != 1;
  if (!position || (isInt && !hasOther)) {
    return success();
  }
  return inference.error() << "expects a position of one integer, got " << inference.type(position);
}

LogicalResult SequenceConstructOp::inferTypes(TypeInference &inference) {
  Type element = getInputs().empty() ? getElement() : inference.type(getInputs().front());
  for (Value value : getInputs()) {
    Type joined = joinTypes(element, inference.type(value));
    if (!joined) {
      return inference.error() << "expects all values to have the same type, got " << element
                               << " and " << inference.type(value);
    }
    element = joined;
  }
  inference.set(0, SequenceType::get(getContext(), element));
  return checkElement(element, inference);
}

LogicalResult SequenceInsertOp::inferTypes(TypeInference &inference) {
  SequenceType sequence = sequenceOf(getSequence(), inference);
  if (!sequence || failed(checkPosition(getPosition(), inference))) {
    return failure();
  }
  Type element = joinTypes(sequence.getElement(), inference.type(getValue()));
  if (!element) {
    return inference.error() << "cannot insert " << inference.type(getValue()) << " into "
                             << sequence;
  }
  inference.set(0, SequenceType::get(getContext(), element));
  return checkElement(element, inference);
}

LogicalResult SequenceEraseOp::inferTypes(TypeInference &inference) {
  SequenceType sequence = sequenceOf(getSequence(), inference);
  inference.set(0, sequence);
  return failure(!sequence || failed(checkPosition(getPosition(), inference)));
}

LogicalResult SequenceAtOp::inferTypes(TypeInference &inference) {
  SequenceType sequence = sequenceOf(getSequence(), inference);
  if (!sequence || failed(checkPosition(getPosition(), inference))) {
    return failure();
  }
  inference.set(0, sequence.getElement());
  return success();
}

LogicalResult SequenceLengthOp::inferTypes(TypeInference &inference) {
  inference.set(0, IntegerType::get(getContext(), 64), {});
  return failure(!sequenceOf(getSequence(), inference));
}

LogicalResult SplitToSequenceOp::inferTypes(TypeInference &inference) {
  Type element = inference.elementType(getInput());
  bool hasRank = getSizes() && inference.hasRank(getSizes());
  if (getSizes() && (!isInteger(fromMlir(inference.elementType(getSizes()))) ||
                     (hasRank && inference.shape(getSizes()).size() > 1))) {
    return inference.error() << "expects 'split' to be an integer or a vector of integers, got "
                             << inference.type(getSizes());
  }
  Type part = UnrankedTensorType::get(element);
  if (inference.hasRank(getInput())) {
    Shape shape = inference.shape(getInput());
    std::optional<int64_t> axis = normalizeAxis(getAxis(), shape.size());
    if (!axis) {
      return inference.error() << "has axis " << getAxis() << ", expected a dimension of "
                               << inference.type(getInput());
    }
    if (getSizes()) {
      shape[*axis] = kDynamic;
    } else if (getKeepDims()) {
      shape[*axis] = 1;
    } else {
      shape.erase(shape.begin() + *axis);
    }
    part = RankedTensorType::get(shape, element);
  }
  inference.set(0, SequenceType::get(getContext(), part));
  return success();
}

LogicalResult ConcatFromSequenceOp::inferTypes(TypeInference &inference) {
  SequenceType sequence = sequenceOf(getSequence(), inference);
  if (!sequence) {
    return failure();
  }
  auto tensor = dyn_cast<TensorType>(sequence.getElement());
  if (!tensor) {
    return inference.error() << "expects a sequence of tensors, got " << sequence;
  }
  auto ranked = dyn_cast<RankedTensorType>(sequence.getElement());
  if (!ranked) {
    inference.setUnranked(0, tensor.getElementType());
    return success();
  }
  Shape shape(ranked.getShape().begin(), ranked.getShape().end());
  std::optional<int64_t> axis = normalizeAxis(getAxis(), ranked.getRank() + getNewAxis());
  if (!axis) {
    return inference.error() << "has axis " << getAxis() << ", expected a dimension of the result";
  }
  if (getNewAxis()) {
    shape.insert(shape.begin() + *axis, kDynamic);
  } else {
    shape[*axis] = kDynamic;
  }
  inference.set(0, tensor.getElementType(), shape);
  return success();
}

LogicalResult SequenceMapOp::inferTypes(TypeInference &inference) {
  Block &body = getBody().front();
  auto yield = body.empty() ? YieldOp() : dyn_cast<YieldOp>(body.back());
  if (!yield || yield.getNumOperands() != getNumResults()) {
    return inference.error() << "expects a body that yields " << getNumResults() << " values";
  }
  for (auto [i, value] : llvm::enumerate(yield.getValues())) {
    Type element = inference.type(value);
    if (failed(checkElement(element, inference))) {
      return failure();
    }
    inference.set(i, SequenceType::get(getContext(), element));
  }
  return success();
}

LogicalResult OptionalOp::inferTypes(TypeInference &inference) {
  Type element = getValue() ? inference.type(getValue()) : getElement();
  if (isa<OptionalType>(element)) {
    return inference.error() << "expects a tensor or a sequence, got " << element;
  }
  inference.set(0, OptionalType::get(getContext(), element));
  return success();
}

LogicalResult OptionalHasOp::inferTypes(TypeInference &inference) {
  inference.set(0, IntegerType::get(getContext(), 1), {});
  return success();
}

LogicalResult OptionalGetOp::inferTypes(TypeInference &inference) {
  Type type = inference.type(getValue());
  auto optional = dyn_cast<OptionalType>(type);
  inference.set(0, optional ? optional.getElement() : type);
  return success();
}

/// Checks that an operand has string elements.
static LogicalResult checkStrings(Value value, TypeInference &inference) {
  if (isa<StringType>(inference.elementType(value))) {
    return success();
  }
  return inference.error() << "expects an operand of strings, got " << inference.type(value);
}

/// Sets the type of result `i` to the shape of `value`, which may be unknown.
static void setLike(unsigned i, Value value, Type element, TypeInference &inference) {
  if (inference.hasRank(value)) {
    inference.set(i, element, inference.shape(value));
  } else {
    inference.setUnranked(i, element);
  }
}

LogicalResult StringConcatOp::inferTypes(TypeInference &inference) {
  if (failed(checkStrings(getLhs(), inference)) || failed(checkStrings(getRhs(), inference))) {
    return failure();
  }
  Type element = inference.elementType(getLhs());
  if (!inference.hasRank(getLhs()) || !inference.hasRank(getRhs())) {
    inference.setUnranked(0, element);
    return success();
  }
  std::optional<Shape> shape =
      broadcastShapes(inference.shape(getLhs()), inference.shape(getRhs()));
  if (!shape) {
    return inference.error() << "expects operands whose shapes broadcast, got "
                             << inference.type(getLhs()) << " and " << inference.type(getRhs());
  }
  inference.set(0, element, *shape);
  return success();
}

LogicalResult StringSplitOp::inferTypes(TypeInference &inference) {
  if (failed(checkStrings(getInput(), inference))) {
    return failure();
  }
  Type element = inference.elementType(getInput());
  setLike(1, getInput(), IntegerType::get(getContext(), 64), inference);
  if (!inference.hasRank(getInput())) {
    inference.setUnranked(0, element);
    return success();
  }
  Shape shape = inference.shape(getInput());
  shape.push_back(kDynamic);
  inference.set(0, element, shape);
  return success();
}

LogicalResult StringNormalizeOp::inferTypes(TypeInference &inference) {
  if (failed(checkStrings(getInput(), inference))) {
    return failure();
  }
  Type element = inference.elementType(getInput());
  if (!inference.hasRank(getInput())) {
    inference.setUnranked(0, element);
    return success();
  }
  Shape shape = inference.shape(getInput());
  bool isRow = shape.size() == 2 && (shape[0] == 1 || shape[0] == kDynamic);
  if (shape.size() != 1 && !isRow) {
    return inference.error() << "expects an input of shape [C] or [1, C], got "
                             << inference.type(getInput());
  }
  shape.back() = kDynamic;
  inference.set(0, element, shape);
  return success();
}

LogicalResult RegexMatchOp::inferTypes(TypeInference &inference) {
  setLike(0, getInput(), IntegerType::get(getContext(), 1), inference);
  return checkStrings(getInput(), inference);
}

LogicalResult TfIdfOp::inferTypes(TypeInference &inference) {
  int64_t columns = 0;
  for (int64_t index : getGramIndexes()) {
    if (index < 0 || index >= int64_t(1) << 32) {
      return inference.error() << "has n-gram index " << index << ", expected a value in [0, 2^32)";
    }
    columns = std::max(columns, index + 1);
  }
  Type element = Float32Type::get(getContext());
  if (!inference.hasRank(getInput())) {
    inference.setUnranked(0, element);
    return success();
  }
  Shape shape = inference.shape(getInput());
  if (shape.empty() || shape.size() > 2) {
    return inference.error() << "expects an input of shape [C] or [N, C], got "
                             << inference.type(getInput());
  }
  shape.back() = columns;
  inference.set(0, element, shape);
  return success();
}

LogicalResult LabelEncodeOp::inferTypes(TypeInference &inference) {
  for (Value column : {getKeys(), getValues()}) {
    Type element = inference.elementType(column);
    if (!isNumber(element) && !isa<StringType>(element)) {
      return inference.error() << "expects keys and values of a numeric type or strings, got "
                               << inference.type(column);
    }
  }
  if (inference.elementType(getDefaultValue()) != inference.elementType(getValues())) {
    return inference.error() << "expects a default value with the element type of the values, got "
                             << inference.type(getDefaultValue()) << " and "
                             << inference.type(getValues());
  }
  if (inference.elementType(getInput()) != inference.elementType(getKeys())) {
    return inference.error() << "expects an input with the element type of the keys, got "
                             << inference.type(getInput()) << " and " << inference.type(getKeys());
  }
  setLike(0, getInput(), inference.elementType(getValues()), inference);
  return success();
}

LogicalResult TreeEnsembleOp::inferTypes(TypeInference &inference) {
  auto targets = getTrees().getAs<IntegerAttr>("n_targets");
  if (!targets || targets.getInt() < 1 || targets.getInt() >= int64_t(1) << 32) {
    return inference.error() << "requires attribute 'n_targets' in [1, 2^32)";
  }
  Type element = inference.elementType(getInput());
  int64_t rows = kDynamic;
  if (inference.hasRank(getInput())) {
    Shape shape = inference.shape(getInput());
    if (shape.size() != 2) {
      return inference.error() << "expects an input of shape [N, F], got "
                               << inference.type(getInput());
    }
    rows = shape[0];
  }
  inference.set(0, element, {rows, targets.getInt()});
  return success();
}

LogicalResult ImageDecodeOp::inferTypes(TypeInference &inference) {
  Type element = inference.elementType(getInput());
  if (fromMlir(element) != ElementType::U8) {
    return inference.error() << "expects an encoded image of element type uint8, got "
                             << inference.type(getInput());
  }
  int64_t channels = getFormat() == "Grayscale" ? 1 : 3;
  inference.set(0, element, {kDynamic, kDynamic, channels});
  return success();
}

/// Infers the type of a multinomial draw: `a` samples for each row of log
/// probabilities.
static LogicalResult inferMultinomial(RandomOp op, TypeInference &inference) {
  double given = op.getA().convertToDouble();
  if (!(given >= 1 && given < 1e12)) {
    return inference.error() << "has sample_size " << given << ", expected 1 or more";
  }
  int64_t samples = static_cast<int64_t>(given);
  int64_t rows = kDynamic;
  if (inference.hasRank(op.getInput())) {
    Shape shape = inference.shape(op.getInput());
    if (shape.size() != 2) {
      return inference.error() << "expects log probabilities of shape [N, C], got "
                               << inference.type(op.getInput());
    }
    rows = shape[0];
  }
  inference.set(0, op.getTo(), {rows, samples});
  return success();
}

LogicalResult RandomOp::inferTypes(TypeInference &inference) {
  bool isDrawn = getDistribution() == "bernoulli" || getDistribution() == "multinomial";
  if (isDrawn && !getInput()) {
    return inference.error() << "requires the operand of probabilities for distribution "
                             << getDistribution();
  }
  if (isDrawn && !isNumber(inference.elementType(getInput()))) {
    return inference.error() << "expects probabilities of a numeric type, got "
                             << inference.type(getInput());
  }
  if (!isNumber(getTo())) {
    return inference.error() << "expects a numeric result type, got " << getTo();
  }
  if (getDistribution() == "multinomial") {
    return inferMultinomial(*this, inference);
  }
  if (getInput()) {
    setLike(0, getInput(), getTo(), inference);
    return success();
  }
  if (llvm::any_of(getShape(), [](int64_t dim) { return dim < 0; })) {
    return inference.error() << "has a negative dimension in 'shape', expected 0 or more";
  }
  inference.set(0, getTo(), getShape());
  return success();
}

} // namespace convoy::graph
