// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates ops on sequences and optionals.

#include "reference/Evaluation.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace mlir;

namespace convoy::reference {
namespace {

// A tensor with a dimension of size 0 may have another dimension of any size,
// but each part of a split uses about 250 bytes.
constexpr int64_t kMaxParts = int64_t(1) << 18;

/// Returns the elements of a sequence operand.
const std::vector<Datum> &elements(Value value, Evaluation &e) { return e.datum(value).elements; }

/// Returns a position below `limit`; a negative position counts from the end.
FailureOr<int64_t> positionOf(Value value, int64_t limit, Evaluation &e) {
  const Tensor &tensor = e.input(value);
  std::optional<int64_t> index;
  if (tensor.size() == 1) {
    index = graph::normalizeAxis(tensor.asInt(0), limit);
  }
  if (!index) {
    InFlightDiagnostic diagnostic = e.error()
                                    << "expects a position in [" << -limit << ", " << limit << ")";
    if (tensor.size() == 1) {
      diagnostic << ", got " << tensor.asInt(0);
    }
    return FailureOr<int64_t>(diagnostic);
  }
  return *index;
}

LogicalResult evaluateConstruct(graph::SequenceConstructOp op, Evaluation &e) {
  std::vector<Datum> values;
  for (Value value : op.getInputs()) {
    values.push_back(e.datum(value));
  }
  e.set(0, Datum::sequence(std::move(values)));
  return success();
}

LogicalResult evaluateInsert(graph::SequenceInsertOp op, Evaluation &e) {
  std::vector<Datum> values = elements(op.getSequence(), e);
  int64_t size = values.size();
  int64_t at = size;
  // SequenceInsert accepts the position after the last value; -1 is before the
  // last value.
  if (op.getPosition() && e.input(op.getPosition()).size() == 1 &&
      e.input(op.getPosition()).asInt(0) != size) {
    FailureOr<int64_t> position = positionOf(op.getPosition(), size, e);
    if (failed(position)) {
      return failure();
    }
    at = *position;
  }
  values.insert(values.begin() + at, e.datum(op.getValue()));
  e.set(0, Datum::sequence(std::move(values)));
  return success();
}

LogicalResult evaluateErase(graph::SequenceEraseOp op, Evaluation &e) {
  std::vector<Datum> values = elements(op.getSequence(), e);
  int64_t size = values.size();
  if (size == 0) {
    return e.error() << "cannot erase from an empty sequence";
  }
  FailureOr<int64_t> at =
      op.getPosition() ? positionOf(op.getPosition(), size, e) : FailureOr<int64_t>(size - 1);
  if (failed(at)) {
    return failure();
  }
  values.erase(values.begin() + *at);
  e.set(0, Datum::sequence(std::move(values)));
  return success();
}

LogicalResult evaluateAt(graph::SequenceAtOp op, Evaluation &e) {
  const std::vector<Datum> &values = elements(op.getSequence(), e);
  FailureOr<int64_t> at = positionOf(op.getPosition(), values.size(), e);
  if (failed(at)) {
    return failure();
  }
  e.set(0, values[*at]);
  return success();
}

LogicalResult evaluateLength(graph::SequenceLengthOp op, Evaluation &e) {
  e.output().setInt(0, elements(op.getSequence(), e).size());
  return success();
}

/// A box that spans a tensor in all dimensions but one.
struct Band {
  int64_t outer = 1;
  int64_t length = 1;
  int64_t inner = 1;
};

Band bandOf(const Tensor &tensor, int64_t axis) {
  Band band;
  for (int64_t i = 0; i < tensor.rank(); ++i) {
    (i < axis ? band.outer : i == axis ? band.length : band.inner) *= tensor.dim(i);
  }
  return band;
}

/// Copies `count` slices along an axis from one tensor to another.
void copyBand(const Tensor &from, int64_t fromBegin, Tensor &to, int64_t toBegin, int64_t count,
              int64_t axis) {
  Band source = bandOf(from, axis);
  Band target = bandOf(to, axis);
  int64_t run = count * source.inner;
  for (int64_t o = 0; o < source.outer && run > 0; ++o) {
    int64_t begin = (o * source.length + fromBegin) * source.inner;
    int64_t end = (o * target.length + toBegin) * target.inner;
    if (from.type() == ElementType::String) {
      std::copy_n(from.strings().begin() + begin, run, to.mutableStrings().begin() + end);
    } else {
      int64_t step = storageBytes(from.type());
      std::memcpy(to.mutableData<char>() + end * step, from.data<char>() + begin * step,
                  run * step);
    }
  }
}

/// Returns the lengths of the parts along a dimension of size `dim`.
FailureOr<Shape> splitLengths(graph::SplitToSequenceOp op, int64_t dim, Evaluation &e) {
  if (!op.getSizes() && dim <= kMaxParts) {
    return Shape(dim, 1);
  }
  Tensor sizes =
      op.getSizes() ? e.input(op.getSizes()) : Tensor::scalar(ElementType::I64, int64_t(1));
  if (sizes.rank() == 0) {
    int64_t length = sizes.asInt(0);
    if (length < 1 || dim / length > kMaxParts) {
      return FailureOr<Shape>(
          e.error() << "splits a dimension of size " << dim << " into parts of length " << length
                    << ", expected a positive length and at most " << kMaxParts << " parts");
    }
    Shape lengths(dim / length, length);
    if (dim % length) {
      lengths.push_back(dim % length);
    }
    return lengths;
  }
  Shape lengths = sizes.ints();
  int64_t rest = dim;
  for (int64_t length : lengths) {
    rest = length < 0 || length > rest ? -1 : rest - length;
    if (rest < 0) {
      break;
    }
  }
  if (rest != 0) {
    return FailureOr<Shape>(e.error()
                            << "expects 'split' to sum to the size of the dimension, " << dim);
  }
  return lengths;
}

LogicalResult evaluateSplit(graph::SplitToSequenceOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  std::optional<int64_t> axis = graph::normalizeAxis(op.getAxis(), input.rank());
  if (!axis) {
    return e.error() << "has axis " << op.getAxis() << ", but the input has rank " << input.rank();
  }
  FailureOr<Shape> lengths = splitLengths(op, input.dim(*axis), e);
  if (failed(lengths)) {
    return failure();
  }
  std::vector<Datum> parts;
  int64_t begin = 0;
  for (int64_t length : *lengths) {
    Shape shape(input.shape().begin(), input.shape().end());
    shape[*axis] = length;
    Tensor part(input.type(), shape);
    copyBand(input, begin, part, 0, length, *axis);
    if (!op.getSizes() && !op.getKeepDims()) {
      shape.erase(shape.begin() + *axis);
      part = part.reshaped(shape);
    }
    parts.push_back(std::move(part));
    begin += length;
  }
  e.set(0, Datum::sequence(std::move(parts)));
  return success();
}

/// Returns the shape of the concatenated parts. Fails if the shapes do not
/// match.
FailureOr<Shape> joinedShape(ArrayRef<Tensor> parts, int64_t axis, Evaluation &e) {
  Shape shape(parts.front().shape().begin(), parts.front().shape().end());
  for (const Tensor &part : parts.drop_front()) {
    bool fits =
        part.rank() == static_cast<int64_t>(shape.size()) && part.type() == parts.front().type();
    for (int64_t i = 0; fits && i < part.rank(); ++i) {
      fits = i == axis || part.dim(i) == shape[i];
    }
    if (!fits) {
      return FailureOr<Shape>(
          e.error()
          << "cannot concatenate tensors whose shapes differ in a dimension other than axis "
          << axis);
    }
    if (llvm::AddOverflow(shape[axis], part.dim(axis), shape[axis])) {
      return FailureOr<Shape>(e.error()
                              << "produces a size that overflows int64 along axis " << axis);
    }
  }
  return shape;
}

LogicalResult evaluateConcat(graph::ConcatFromSequenceOp op, Evaluation &e) {
  std::vector<Tensor> parts;
  for (const Datum &element : elements(op.getSequence(), e)) {
    parts.push_back(element.tensor);
  }
  if (parts.empty()) {
    return e.error() << "cannot concatenate an empty sequence";
  }
  std::optional<int64_t> axis =
      graph::normalizeAxis(op.getAxis(), parts.front().rank() + op.getNewAxis());
  if (!axis) {
    return e.error() << "has axis " << op.getAxis() << ", but the elements have rank "
                     << parts.front().rank();
  }
  for (Tensor &part : parts) {
    if (op.getNewAxis() && part.rank() >= *axis) {
      Shape shape(part.shape().begin(), part.shape().end());
      shape.insert(shape.begin() + *axis, 1);
      part = part.reshaped(shape);
    }
  }
  FailureOr<Shape> shape = joinedShape(parts, *axis, e);
  if (failed(shape)) {
    return failure();
  }
  Tensor &result = e.allocate(0, *shape);
  if (result.shape() != ArrayRef<int64_t>(*shape)) {
    return failure(); // Too large: allocate emitted an error.
  }
  int64_t begin = 0;
  for (const Tensor &part : parts) {
    copyBand(part, 0, result, begin, part.dim(*axis), *axis);
    begin += part.dim(*axis);
  }
  return success();
}

LogicalResult evaluateMap(graph::SequenceMapOp op, Evaluation &e) {
  size_t steps = elements(op.getInputs().front(), e).size();
  std::vector<std::vector<Datum>> results(op.getNumResults());
  for (size_t step = 0; step < steps; ++step) {
    std::vector<Datum> arguments;
    for (Value value : op.getInputs()) {
      const Datum &datum = e.datum(value);
      if (datum.isSequence() && step >= datum.elements.size()) {
        return e.error() << "expects all sequences to have " << steps << " values, got one with "
                         << datum.elements.size();
      }
      arguments.push_back(datum.isSequence() ? datum.elements[step] : datum);
    }
    FailureOr<std::vector<Datum>> yielded = e.runRegion(op.getBody(), arguments);
    if (failed(yielded) || failed(e.countIteration())) {
      return failure();
    }
    for (auto [list, value] : llvm::zip(results, *yielded)) {
      list.push_back(std::move(value));
    }
  }
  for (auto [i, list] : llvm::enumerate(results)) {
    e.set(i, Datum::sequence(std::move(list)));
  }
  return success();
}

LogicalResult evaluateOptional(graph::OptionalOp op, Evaluation &e) {
  std::vector<Datum> held;
  if (op.getValue()) {
    held.push_back(e.datum(op.getValue()));
  }
  e.set(0, Datum::optional(std::move(held)));
  return success();
}

LogicalResult evaluateHas(graph::OptionalHasOp op, Evaluation &e) {
  bool holds = op.getValue() &&
               !(e.datum(op.getValue()).isOptional() && e.datum(op.getValue()).elements.empty());
  e.output().setInt(0, holds);
  return success();
}

LogicalResult evaluateGet(graph::OptionalGetOp op, Evaluation &e) {
  const Datum &datum = e.datum(op.getValue());
  if (!datum.isOptional()) {
    e.set(0, datum);
    return success();
  }
  if (datum.elements.empty()) {
    return e.error() << "reads the value of an empty optional";
  }
  e.set(0, datum.elements.front());
  return success();
}

} // namespace

void addCollectionEvaluators(EvaluatorTable &table) {
  table.add<graph::SequenceConstructOp, evaluateConstruct>();
  table.add<graph::SequenceInsertOp, evaluateInsert>();
  table.add<graph::SequenceEraseOp, evaluateErase>();
  table.add<graph::SequenceAtOp, evaluateAt>();
  table.add<graph::SequenceLengthOp, evaluateLength>();
  table.add<graph::SplitToSequenceOp, evaluateSplit>();
  table.add<graph::ConcatFromSequenceOp, evaluateConcat>();
  table.add<graph::SequenceMapOp, evaluateMap>();
  table.add<graph::OptionalOp, evaluateOptional>();
  table.add<graph::OptionalHasOp, evaluateHas>();
  table.add<graph::OptionalGetOp, evaluateGet>();
}

} // namespace convoy::reference
