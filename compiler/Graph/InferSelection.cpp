// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Type rules of the ops of Tensor.td that select elements by index, condition
// or value.

#include "Graph/Graph.h"
#include "Graph/IntegerOperand.h"

using namespace mlir;

namespace convoy::graph {
namespace {

LogicalResult checkIndices(TypeInference &inference, Value indices) {
  if (isInteger(fromMlir(inference.elementType(indices)))) {
    return success();
  }
  return inference.error() << "expects indices of an integer type, got " << inference.type(indices);
}

/// Returns whether two dimensions may have the same size.
bool mayEqual(int64_t a, int64_t b) { return a == kDynamic || b == kDynamic || a == b; }

bool mayEqual(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  return a.size() == b.size() && llvm::all_of(llvm::zip(a, b), [](auto pair) {
           return mayEqual(std::get<0>(pair), std::get<1>(pair));
         });
}

bool isNumber(ElementType type) {
  return isFloat(type) || isInteger(type) || type == ElementType::Bool;
}

/// Checks indices that address single elements along `axis`: they have the rank
/// of the input, and no other dimension exceeds the input's dimension.
LogicalResult checkElementIndices(TypeInference &inference, Value input, Value indices,
                                  int64_t axis, StringRef label) {
  if (!inference.hasRank(input) || !inference.hasRank(indices)) {
    return success();
  }
  Shape from = inference.shape(input);
  Shape at = inference.shape(indices);
  bool isFitting = from.size() == at.size();
  for (size_t i = 0; isFitting && i < from.size(); ++i) {
    isFitting = static_cast<int64_t>(i) == axis || mayEqual(from[i], at[i]) || at[i] <= from[i];
  }
  if (!isFitting) {
    return inference.error() << "expects indices with the rank of " << inference.type(input)
                             << " and with no larger dimension except along axis " << axis
                             << ", got " << inference.type(indices) << " " << label;
  }
  return checkAxis(inference, axis, from.size(), label);
}

} // namespace

LogicalResult GatherOp::inferTypes(TypeInference &inference) {
  int64_t axis = getAxis();
  Type element = inference.elementType(getInput());
  if (failed(checkIndices(inference, getIndices()))) {
    return failure();
  }
  if (inference.hasRank(getInput()) &&
      failed(checkAxis(inference, axis, inference.shape(getInput()).size(), "[gather.1]"))) {
    return failure();
  }
  if (!inference.hasRank(getInput()) || !inference.hasRank(getIndices())) {
    inference.setUnranked(0, element);
    return success();
  }
  Shape input = inference.shape(getInput());
  Shape indices = inference.shape(getIndices());
  Shape result(input.begin(), input.begin() + axis);
  result.append(indices.begin(), indices.end());
  result.append(input.begin() + axis + 1, input.end());
  inference.set(0, element, result);
  return success();
}

LogicalResult GatherElementsOp::inferTypes(TypeInference &inference) {
  Type element = inference.elementType(getInput());
  if (failed(checkIndices(inference, getIndices())) ||
      failed(checkElementIndices(inference, getInput(), getIndices(), getAxis(),
                                 "[gather_elements.1]"))) {
    return failure();
  }
  if (!inference.hasRank(getIndices())) {
    inference.setUnranked(0, element);
    return success();
  }
  inference.set(0, element, inference.shape(getIndices()));
  return success();
}

LogicalResult GatherNDOp::inferTypes(TypeInference &inference) {
  Type element = inference.elementType(getInput());
  if (failed(checkIndices(inference, getIndices()))) {
    return failure();
  }
  if (!inference.hasRank(getInput()) || !inference.hasRank(getIndices())) {
    inference.setUnranked(0, element);
    return success();
  }
  Shape input = inference.shape(getInput());
  Shape indices = inference.shape(getIndices());
  int64_t rank = input.size();
  int64_t batch = getBatchDims();
  int64_t tuples = static_cast<int64_t>(indices.size()) - 1;
  if (batch < 0 || batch > rank || batch > tuples ||
      !mayEqual(ArrayRef(input).take_front(batch), ArrayRef(indices).take_front(batch))) {
    return inference.error() << "expects the first " << batch << " dimensions to be equal, got "
                             << inference.type(getInput()) << " and "
                             << inference.type(getIndices()) << " [gather_nd.1]";
  }
  int64_t length = indices.back();
  if (length == kDynamic) {
    inference.setUnranked(0, element);
    return success();
  }
  if (length > rank - batch) {
    return inference.error() << "expects index tuples of at most " << rank - batch
                             << " entries, got " << length << " [gather_nd.2]";
  }
  Shape result(indices.begin(), indices.end() - 1);
  result.append(input.begin() + batch + length, input.end());
  inference.set(0, element, result);
  return success();
}

LogicalResult ScatterElementsOp::inferTypes(TypeInference &inference) {
  if (failed(checkIndices(inference, getIndices())) ||
      failed(checkElementIndices(inference, getInput(), getIndices(), getAxis(),
                                 "[scatter_elements.1]"))) {
    return failure();
  }
  bool areRanked = inference.hasRank(getIndices()) && inference.hasRank(getUpdates());
  if (inference.elementType(getUpdates()) != inference.elementType(getInput()) ||
      (areRanked && !mayEqual(inference.shape(getIndices()), inference.shape(getUpdates())))) {
    return inference.error() << "expects updates with the element type of "
                             << inference.type(getInput()) << " and the shape of "
                             << inference.type(getIndices()) << ", got "
                             << inference.type(getUpdates()) << " [scatter_elements.1]";
  }
  inference.set(0, inference.type(getInput()));
  return success();
}

LogicalResult ScatterNDOp::inferTypes(TypeInference &inference) {
  if (failed(checkIndices(inference, getIndices()))) {
    return failure();
  }
  bool isValid = inference.elementType(getUpdates()) == inference.elementType(getInput());
  if (inference.hasRank(getInput()) && inference.hasRank(getIndices()) &&
      inference.hasRank(getUpdates())) {
    Shape input = inference.shape(getInput());
    Shape indices = inference.shape(getIndices());
    int64_t rank = input.size();
    int64_t length = indices.empty() ? rank + 1 : indices.back();
    if (length <= rank && length != kDynamic) {
      Shape expected(indices.begin(), indices.end() - 1);
      expected.append(input.begin() + length, input.end());
      isValid &= mayEqual(expected, inference.shape(getUpdates()));
    } else {
      isValid &= length == kDynamic;
    }
  }
  if (!isValid) {
    return inference.error() << "expects updates that match the index tuples of "
                             << inference.type(getIndices()) << " into "
                             << inference.type(getInput()) << ", got "
                             << inference.type(getUpdates()) << " [scatter_nd.1]";
  }
  inference.set(0, inference.type(getInput()));
  return success();
}

LogicalResult OneHotOp::inferTypes(TypeInference &inference) {
  Type element = inference.elementType(getValues());
  if (!isNumber(fromMlir(inference.elementType(getIndices()))) ||
      !isNumber(fromMlir(inference.elementType(getDepth())))) {
    return inference.error() << "expects indices and depth of a numeric type, got "
                             << inference.type(getIndices()) << " and "
                             << inference.type(getDepth()) << " [one_hot.2]";
  }
  if (inference.hasRank(getValues()) && !mayEqual(inference.shape(getValues()), {2})) {
    return inference.error() << "expects 'values' to hold two elements (off and on), got "
                             << inference.type(getValues()) << " [one_hot.2]";
  }
  // ONNX allows any numeric type for the depth, including floating-point types.
  std::optional<Tensor> known = inference.value(getDepth());
  std::optional<Shape> depth = known ? std::optional<Shape>(known->ints()) : std::nullopt;
  if (depth && (depth->size() != 1 || depth->front() < 0)) {
    return inference.error() << "expects one non-negative depth, got [" << ArrayRef<int64_t>(*depth)
                             << "] [one_hot.2]";
  }
  if (!inference.hasRank(getIndices())) {
    inference.setUnranked(0, element);
    return success();
  }
  Shape result = inference.shape(getIndices());
  int64_t axis = getAxis();
  if (failed(checkAxis(inference, axis, result.size() + 1, "[one_hot.1]"))) {
    return failure();
  }
  result.insert(result.begin() + axis, depth ? depth->front() : kDynamic);
  inference.set(0, element, result);
  return success();
}

LogicalResult ReverseSequenceOp::inferTypes(TypeInference &inference) {
  int64_t batch = getBatchAxis();
  int64_t time = getTimeAxis();
  FailureOr<IntegerOperand> lengths = readIntegers(inference, getSequenceLens(), "sequenceLens");
  if (failed(lengths)) {
    return failure();
  }
  if (inference.hasRank(getInput())) {
    Shape input = inference.shape(getInput());
    if (failed(checkAxis(inference, batch, input.size(), "[reverse_sequence.1]")) ||
        failed(checkAxis(inference, time, input.size(), "[reverse_sequence.1]")) ||
        failed(checkAxes(inference, {batch, time}, input.size(), "[reverse_sequence.1]")) ||
        failed(checkLength(inference, "sequenceLens", *lengths, input[batch],
                           "[reverse_sequence.2]"))) {
      return failure();
    }
  }
  inference.set(0, inference.type(getInput()));
  return success();
}

namespace {

/// Returns the number of slices that a known condition selects from a dimension
/// of size `dim`.
FailureOr<int64_t> keptCount(TypeInference &inference, const Tensor &condition, int64_t dim) {
  int64_t kept = 0;
  for (int64_t i = 0; i < condition.size(); ++i) {
    bool isKept = condition.data<bool>()[i];
    if (isKept && dim != kDynamic && i >= dim) {
      return FailureOr<int64_t>(inference.error()
                                << "selects slice " << i << " of a dimension of size " << dim
                                << " [compress.2]");
    }
    kept += isKept;
  }
  return kept;
}

} // namespace

LogicalResult CompressOp::inferTypes(TypeInference &inference) {
  Type element = inference.elementType(getInput());
  if (fromMlir(inference.elementType(getCondition())) != ElementType::Bool ||
      (inference.hasRank(getCondition()) && inference.shape(getCondition()).size() != 1)) {
    return inference.error() << "expects a condition that is a vector of i1, got "
                             << inference.type(getCondition()) << " [compress.2]";
  }
  std::optional<int64_t> axis = getAxis();
  if (!inference.hasRank(getInput())) {
    return setOpen(inference, 0, element, axis ? kDynamic : 1);
  }
  Shape shape = inference.shape(getInput());
  if (axis && failed(checkAxis(inference, *axis, shape.size(), "[compress.1]"))) {
    return failure();
  }
  // Without an axis the input is flattened to a vector.
  int64_t dim = axis ? shape[*axis] : elementCount(shape).value_or(kDynamic);
  int64_t kept = kDynamic;
  if (std::optional<Tensor> condition = inference.value(getCondition())) {
    FailureOr<int64_t> count = keptCount(inference, *condition, dim);
    if (failed(count)) {
      return failure();
    }
    kept = *count;
  }
  if (axis) {
    shape[*axis] = kept;
  } else {
    shape = {kept};
  }
  inference.set(0, element, shape);
  return success();
}

LogicalResult NonZeroOp::inferTypes(TypeInference &inference) {
  if (!isNumber(fromMlir(inference.elementType(getInput())))) {
    return inference.error() << "expects an input of a numeric type, got "
                             << inference.type(getInput()) << " [non_zero.1]";
  }
  int64_t rank = kDynamic;
  if (inference.hasRank(getInput())) {
    rank = inference.shape(getInput()).size();
  }
  int64_t count = kDynamic;
  if (std::optional<Tensor> value = inference.value(getInput())) {
    count = 0;
    for (int64_t i = 0; i < value->size(); ++i) {
      count += value->asDouble(i) != 0;
    }
  }
  inference.set(0, IntegerType::get(getContext(), 64), {rank, count});
  return success();
}

LogicalResult UniqueOp::inferTypes(TypeInference &inference) {
  Type element = inference.elementType(getInput());
  ElementType type = fromMlir(element);
  Type i64 = IntegerType::get(getContext(), 64);
  std::optional<int64_t> axis = getAxis();
  if (!isNumber(type) && type != ElementType::String) {
    return inference.error() << "expects an input of a numeric type or strings, got "
                             << inference.type(getInput()) << " [unique.2]";
  }
  inference.set(1, i64, {kDynamic});
  inference.set(2, i64, {kDynamic});
  inference.set(3, i64, {kDynamic});
  if (!inference.hasRank(getInput())) {
    return setOpen(inference, 0, element, axis ? kDynamic : 1);
  }
  Shape shape = inference.shape(getInput());
  if (axis && failed(checkAxis(inference, *axis, shape.size(), "[unique.1]"))) {
    return failure();
  }
  inference.set(2, i64, {axis ? shape[*axis] : elementCount(shape).value_or(kDynamic)});
  if (axis) {
    shape[*axis] = kDynamic;
  } else {
    shape = {kDynamic};
  }
  inference.set(0, element, shape);
  return success();
}

LogicalResult TopKOp::inferTypes(TypeInference &inference) {
  FailureOr<std::optional<int64_t>> k = readInteger(inference, getK(), "k");
  Type element = inference.elementType(getInput());
  Type i64 = IntegerType::get(getContext(), 64);
  if (failed(k)) {
    return failure();
  }
  if (!isNumber(fromMlir(element))) {
    return inference.error() << "expects an input of a numeric type, got "
                             << inference.type(getInput());
  }
  if (!inference.hasRank(getInput())) {
    inference.setUnranked(0, element);
    inference.setUnranked(1, i64);
    return success();
  }
  Shape shape = inference.shape(getInput());
  int64_t axis = getAxis();
  if (failed(checkAxis(inference, axis, shape.size(), "[top_k.1]"))) {
    return failure();
  }
  if (*k && (**k < 0 || (shape[axis] != kDynamic && **k > shape[axis]))) {
    return inference.error() << "expects k from 0 to the size of axis " << axis << " of "
                             << inference.type(getInput()) << ", got " << **k << " [top_k.2]";
  }
  shape[axis] = k->value_or(kDynamic);
  inference.set(0, element, shape);
  inference.set(1, i64, shape);
  return success();
}

} // namespace convoy::graph
