// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Type rules of slice, split, concat and pad.

#include "Graph/Graph.h"
#include "Graph/IntegerOperand.h"
#include "Graph/SliceRange.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace convoy::graph {

namespace {

struct SliceOperands {
  IntegerOperand starts, ends, axes, steps;
};

FailureOr<SliceOperands> readSlice(SliceOp op, TypeInference &inference) {
  FailureOr<IntegerOperand> starts = readIntegers(inference, op.getStarts(), "starts");
  FailureOr<IntegerOperand> ends = readIntegers(inference, op.getEnds(), "ends");
  FailureOr<IntegerOperand> axes = readIntegers(inference, op.getAxes(), "axes");
  FailureOr<IntegerOperand> steps = readIntegers(inference, op.getSteps(), "steps");
  if (failed(starts) || failed(ends) || failed(axes) || failed(steps) ||
      failed(checkLength(inference, "ends", *ends, starts->length, "[slice.1]")) ||
      failed(checkLength(inference, "axes", *axes, starts->length, "[slice.1]")) ||
      failed(checkLength(inference, "steps", *steps, starts->length, "[slice.1]"))) {
    return failure();
  }
  if (steps->values && llvm::is_contained(*steps->values, 0)) {
    return FailureOr<SliceOperands>(inference.error()
                                    << "has a step of 0, expected non-zero steps [slice.2]");
  }
  return SliceOperands{*starts, *ends, *axes, *steps};
}

/// Returns the dimensions that a slice or a pad changes, if known: the first
/// `count` dimensions if the op has no `axes` operand.
FailureOr<std::optional<Shape>> touchedAxes(TypeInference &inference, const IntegerOperand &axes,
                                            int64_t count, int64_t rank, StringRef label) {
  Shape named;
  if (axes.isPresent) {
    if (!axes.values) {
      return std::optional<Shape>();
    }
    named = *axes.values;
  } else if (count == kDynamic) {
    return std::optional<Shape>();
  } else {
    named = llvm::to_vector<6>(llvm::seq<int64_t>(0, std::min(count, rank + 1)));
  }
  FailureOr<Shape> checked = checkAxes(inference, named, rank, label);
  if (failed(checked)) {
    return failure();
  }
  named = *checked;
  return std::optional<Shape>(named);
}

} // namespace

LogicalResult SliceOp::inferTypes(TypeInference &inference) {
  FailureOr<SliceOperands> operands = readSlice(*this, inference);
  if (failed(operands)) {
    return failure();
  }
  Type element = inference.elementType(getInput());
  if (!inference.hasRank(getInput())) {
    inference.setUnranked(0, element);
    return success();
  }
  Shape shape = inference.shape(getInput());
  const auto &[starts, ends, axes, steps] = *operands;
  FailureOr<std::optional<Shape>> touched =
      touchedAxes(inference, axes, starts.length, shape.size(), "[slice.2]");
  if (failed(touched)) {
    return failure();
  }
  if (!*touched) {
    return setOpen(inference, 0, element, shape.size());
  }
  bool isKnown = starts.values && ends.values && (!steps.isPresent || steps.values);
  for (auto [i, axis] : llvm::enumerate(**touched)) {
    if (!isKnown || shape[axis] == kDynamic) {
      shape[axis] = kDynamic;
      continue;
    }
    int64_t step = steps.isPresent ? (*steps.values)[i] : 1;
    shape[axis] = sliceRange(shape[axis], (*starts.values)[i], (*ends.values)[i], step).length;
  }
  inference.set(0, element, shape);
  return success();
}

namespace {

/// Merges the dimensions of one input of a concat into the dimensions of the
/// earlier inputs.
LogicalResult mergeConcat(TypeInference &inference, Shape &result, ArrayRef<int64_t> input,
                          int64_t axis, Type inputType) {
  bool isFitting = result.size() == input.size();
  for (size_t i = 0; isFitting && i < input.size(); ++i) {
    bool isOpen = result[i] == kDynamic || input[i] == kDynamic;
    if (static_cast<int64_t>(i) == axis) {
      int64_t sum = kDynamic;
      if (!isOpen && llvm::AddOverflow(result[i], input[i], sum)) {
        return inference.error() << "produces a size that overflows int64 along axis " << axis;
      }
      result[i] = sum;
    } else {
      isFitting = isOpen || result[i] == input[i];
      result[i] = result[i] == kDynamic ? input[i] : result[i];
    }
  }
  if (isFitting) {
    return success();
  }
  return inference.error()
         << "cannot concatenate " << inputType
         << ": its shape differs from the earlier inputs in a dimension other than axis " << axis
         << " [concat.2]";
}

} // namespace

LogicalResult ConcatOp::inferTypes(TypeInference &inference) {
  if (getInputs().empty()) {
    return inference.error() << "expects at least one input, got none";
  }
  int64_t axis = getAxis();
  Type element = inference.elementType(getInputs().front());
  std::optional<Shape> result;
  bool isSizeOpen = false;
  for (Value input : getInputs()) {
    if (inference.elementType(input) != element) {
      return inference.error() << "expects inputs of the same element type, got " << element
                               << " and " << inference.elementType(input) << " [concat.2]";
    }
    if (!inference.hasRank(input)) {
      isSizeOpen = true;
      continue;
    }
    Shape shape = inference.shape(input);
    if (failed(checkAxis(inference, axis, shape.size(), "[concat.1]")) ||
        (result && failed(mergeConcat(inference, *result, shape, axis, inference.type(input))))) {
      return failure();
    }
    result = result ? result : shape;
  }
  if (!result) {
    inference.setUnranked(0, element);
    return success();
  }
  if (isSizeOpen) {
    (*result)[axis] = kDynamic;
  }
  inference.set(0, element, *result);
  return success();
}

namespace {

/// Returns the sizes of the parts of a split of a dimension of size `dim`.
FailureOr<Shape> partSizes(SplitOp op, TypeInference &inference, const IntegerOperand &sizes,
                           int64_t dim) {
  int64_t parts = op.getNumResults();
  Shape result(parts, kDynamic);
  if (sizes.values) {
    std::optional<int64_t> sum = 0;
    for (int64_t size : *sizes.values) {
      sum = size < 0 || !sum || llvm::AddOverflow(*sum, size, *sum) ? std::nullopt : sum;
    }
    if (!sum || (dim != kDynamic && *sum != dim)) {
      InFlightDiagnostic diag = inference.error() << "expects non-negative sizes that sum to ";
      (dim == kDynamic ? diag << "the size of the split dimension" : diag << dim)
          << ", got [" << ArrayRef<int64_t>(*sizes.values) << "] [split.1]";
      return diag;
    }
    return *sizes.values;
  }
  if (!sizes.isPresent && dim != kDynamic) {
    int64_t part = dim / parts + (dim % parts != 0);
    for (int64_t i = 0, rest = dim; i < parts; ++i) {
      result[i] = std::min(part, rest);
      rest -= result[i];
    }
  }
  return result;
}

} // namespace

LogicalResult SplitOp::inferTypes(TypeInference &inference) {
  FailureOr<IntegerOperand> sizes = readIntegers(inference, getSizes(), "sizes");
  int64_t axis = getAxis();
  if (getNumResults() == 0) {
    return inference.error() << "expects at least one result, got none [split.1]";
  }
  if (failed(sizes) ||
      failed(checkLength(inference, "sizes", *sizes, getNumResults(), "[split.1]"))) {
    return failure();
  }
  Type element = inference.elementType(getInput());
  if (!inference.hasRank(getInput())) {
    for (unsigned i = 0; i < getNumResults(); ++i) {
      inference.setUnranked(i, element);
    }
    return success();
  }
  Shape shape = inference.shape(getInput());
  if (failed(checkAxis(inference, axis, shape.size(), "[split.1]"))) {
    return failure();
  }
  FailureOr<Shape> parts = partSizes(*this, inference, *sizes, shape[axis]);
  if (failed(parts)) {
    return failure();
  }
  for (auto [i, part] : llvm::enumerate(*parts)) {
    shape[axis] = part;
    inference.set(i, element, shape);
  }
  return success();
}

namespace {

// Exceeds the size of any tensor; sums of values up to this limit stay within
// int64.
constexpr int64_t kMaxPad = int64_t(1) << 48;

/// Adds the padding to each dimension of `shape` in `axes`.
LogicalResult addPads(TypeInference &inference, Shape &shape, ArrayRef<int64_t> axes,
                      ArrayRef<int64_t> pads) {
  for (auto [i, axis] : llvm::enumerate(axes)) {
    int64_t begin = pads[i];
    int64_t end = pads[i + axes.size()];
    int64_t &dim = shape[axis];
    if (dim == kDynamic) {
      continue;
    }
    auto isHuge = [](int64_t pad) { return pad > kMaxPad || pad < -kMaxPad; };
    bool isValid = !isHuge(dim) && !isHuge(begin) && !isHuge(end);
    int64_t padded = isValid ? dim + begin + end : -1;
    if (padded < 0) {
      return inference.error() << "pads dimension " << axis << " of size " << dim << " by " << begin
                               << " and " << end
                               << ", expected a resulting size of 0 or more [pad.2]";
    }
    dim = padded;
  }
  return success();
}

} // namespace

LogicalResult PadOp::inferTypes(TypeInference &inference) {
  FailureOr<IntegerOperand> pads = readIntegers(inference, getPads(), "pads");
  FailureOr<IntegerOperand> axes = readIntegers(inference, getAxes(), "axes");
  if (failed(pads) || failed(axes)) {
    return failure();
  }
  Type element = inference.elementType(getInput());
  if (getValue() && inference.elementType(getValue()) != element) {
    return inference.error() << "expects a padding value of element type " << element << ", got "
                             << inference.type(getValue());
  }
  if (!inference.hasRank(getInput())) {
    inference.setUnranked(0, element);
    return success();
  }
  Shape shape = inference.shape(getInput());
  int64_t rank = shape.size();
  int64_t count = axes->isPresent ? axes->length : rank;
  if (count > rank) {
    return inference.error() << "expects at most " << rank << " axes, got " << count << " [pad.1]";
  }
  if (count != kDynamic && failed(checkLength(inference, "pads", *pads, 2 * count, "[pad.1]"))) {
    return failure();
  }
  FailureOr<std::optional<Shape>> touched = touchedAxes(inference, *axes, count, rank, "[pad.1]");
  if (failed(touched)) {
    return failure();
  }
  if (!*touched || !pads->values) {
    return setOpen(inference, 0, element, rank);
  }
  if (failed(addPads(inference, shape, **touched, *pads->values))) {
    return failure();
  }
  inference.set(0, element, shape);
  return success();
}

} // namespace convoy::graph
