// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates ops that reshape, slice, concatenate and repeat tensors. Each
// evaluator computes the source of each result element; ElementCopy.cpp moves
// the elements. An evaluator returns early for an empty result, which is also
// the result of a failed type rule. After this check, the constraints of the op
// hold.

#include "Graph/Constant.h"
#include "Graph/SliceRange.h"
#include "reference/ElementCopy.h"
#include "reference/Evaluation.h"

using namespace mlir;

namespace convoy::reference {
namespace {

LogicalResult evaluateConstant(graph::ConstantOp op, Evaluation &e) {
  e.set(0, graph::toTensor(op.getValue()));
  return success();
}

LogicalResult evaluateReshape(graph::ReshapeOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  Tensor &result = e.output();
  if (!result.isEmpty()) {
    Shape shape(result.shape().begin(), result.shape().end());
    result = input.reshaped(shape);
  }
  return success();
}

LogicalResult evaluateTranspose(graph::TransposeOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  Tensor &result = e.output();
  if (!result.isEmpty()) {
    copyTransposed(result, input, op.getPerm());
  }
  return success();
}

/// Returns the axes of an optional operand, or 0, 1, ...
Shape axesOf(Evaluation &e, Value axes, int64_t count, int64_t rank) {
  Shape result;
  for (int64_t i = 0; i < count; ++i) {
    int64_t axis = axes ? e.input(axes).asInt(i) : i;
    result.push_back(axis < 0 ? axis + rank : axis);
  }
  return result;
}

LogicalResult evaluateSlice(graph::SliceOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  const Tensor &starts = e.input(op.getStarts());
  const Tensor &ends = e.input(op.getEnds());
  Tensor &result = e.output();
  if (result.isEmpty()) {
    return success();
  }
  OffsetTables tables = tablesOf(input.shape());
  Shape strides = stridesOf(input.shape());
  Shape axes = axesOf(e, op.getAxes(), starts.size(), input.rank());
  for (auto [i, axis] : llvm::enumerate(axes)) {
    int64_t step = op.getSteps() ? e.input(op.getSteps()).asInt(i) : 1;
    graph::SliceRange range =
        graph::sliceRange(input.dim(axis), starts.asInt(i), ends.asInt(i), step);
    // The step of a single element may have any value, so it must not be
    // multiplied.
    int64_t distance = range.length > 1 ? range.step * strides[axis] : 0;
    tables[axis] = DimOffsets(range.length, range.start * strides[axis], distance);
  }
  copyByOffsets(result, input, tables);
  return success();
}

/// Returns the number of elements per position of dimension `axis`.
int64_t innerSize(const Tensor &tensor, int64_t axis) {
  return elementCount(tensor.shape().drop_front(axis + 1)).value_or(0);
}

LogicalResult evaluateConcat(graph::ConcatOp op, Evaluation &e) {
  Tensor &result = e.output();
  if (result.isEmpty()) {
    return success();
  }
  int64_t axis = op.getAxis();
  int64_t inner = innerSize(result, axis);
  int64_t resultRow = result.dim(axis) * inner;
  int64_t column = 0;
  for (Value value : op.getInputs()) {
    const Tensor &input = e.input(value);
    ElementCopier copier(result, input);
    int64_t row = input.dim(axis) * inner;
    for (int64_t i = 0; i < result.size() / resultRow; ++i) {
      copier.copy(i * resultRow + column, i * row, row);
    }
    column += row;
  }
  return success();
}

LogicalResult evaluateSplit(graph::SplitOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  int64_t axis = op.getAxis();
  int64_t column = 0;
  for (unsigned part = 0; part < op.getNumResults(); ++part) {
    Tensor &result = e.output(part);
    if (result.isEmpty()) {
      continue;
    }
    int64_t inner = innerSize(input, axis);
    int64_t inputRow = input.dim(axis) * inner;
    int64_t row = result.dim(axis) * inner;
    ElementCopier copier(result, input);
    for (int64_t i = 0; i < result.size() / row; ++i) {
      copier.copy(i * row, i * inputRow + column, row);
    }
    column += row;
  }
  return success();
}

LogicalResult evaluateReorder(graph::ReorderOp op, Evaluation &e) {
  e.set(0, e.datum(op.getInput()));
  return success();
}

LogicalResult evaluateExpand(graph::ExpandOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  Tensor &result = e.output();
  if (result.isEmpty()) {
    return success();
  }
  OffsetTables inputTables = tablesOf(input.shape());
  OffsetTables tables;
  int64_t added = result.rank() - input.rank();
  for (int64_t d = 0; d < result.rank(); ++d) {
    bool isRepeated = d < added || input.dim(d - added) == 1;
    tables.push_back(isRepeated ? DimOffsets(result.dim(d), 0, 0) : inputTables[d - added]);
  }
  copyByOffsets(result, input, tables);
  return success();
}

LogicalResult evaluateTile(graph::TileOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  Tensor &result = e.output();
  if (result.isEmpty()) {
    return success();
  }
  // Each dimension becomes two: the repeats, with step 0, and the original
  // dimension.
  OffsetTables tables;
  for (auto [d, original] : llvm::enumerate(tablesOf(input.shape()))) {
    tables.emplace_back(e.input(op.getRepeats()).asInt(d), 0, 0);
    tables.push_back(original);
  }
  copyByOffsets(result, input, tables);
  return success();
}

int64_t floorMod(int64_t value, int64_t divisor) {
  int64_t rest = value % divisor;
  return rest < 0 ? rest + divisor : rest;
}

/// Returns the index of the element that appears at a position, which may be
/// outside of [0, length).
int64_t paddedSource(int64_t position, int64_t length, graph::PadMode mode) {
  if (position >= 0 && position < length) {
    return position;
  }
  switch (mode) {
  case graph::PadMode::Constant:
    return kNoSource;
  case graph::PadMode::Edge:
    return position < 0 ? 0 : length - 1;
  case graph::PadMode::Wrap:
    return floorMod(position, length);
  case graph::PadMode::Reflect: {
    // Reflects without repeating the borders; a single element reflects to
    // itself.
    int64_t period = std::max<int64_t>(2 * (length - 1), 1);
    int64_t rest = floorMod(position, period);
    return rest < length ? rest : period - rest;
  }
  }
  llvm_unreachable("all modes are above");
}

/// Replaces the offsets along one dimension by the offsets of its padded form.
/// Negative padding removes elements before reflection or wrap-around.
LogicalResult padTable(graph::PadOp op, Evaluation &e, DimOffsets &table, int64_t begin,
                       int64_t end) {
  int64_t removed = std::max<int64_t>(-begin, 0);
  int64_t size = table.size();
  int64_t length = size - removed - std::max<int64_t>(-end, 0);
  std::vector<int64_t> padded;
  if (length <= 0 && size + begin + end > 0 && op.getMode() != graph::PadMode::Constant) {
    return e.error() << "has no element to repeat in a dimension of size " << size
                     << " with padding " << begin << " and " << end;
  }
  for (int64_t i = 0; i < size + begin + end; ++i) {
    int64_t source = paddedSource(i - std::max<int64_t>(begin, 0), length, op.getMode());
    padded.push_back(source == kNoSource ? kNoSource : table[removed + source]);
  }
  table = std::move(padded);
  return success();
}

LogicalResult evaluatePad(graph::PadOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  const Tensor &pads = e.input(op.getPads());
  Tensor &result = e.output();
  if (result.isEmpty()) {
    return success();
  }
  if (op.getValue() && op.getMode() == graph::PadMode::Constant) {
    if (e.input(op.getValue()).size() != 1) {
      return e.error() << "expects one padding value, got " << e.input(op.getValue()).size();
    }
    fill(result, e.input(op.getValue()));
  }
  OffsetTables tables = tablesOf(input.shape());
  int64_t count = pads.size() / 2;
  for (auto [i, axis] : llvm::enumerate(axesOf(e, op.getAxes(), count, input.rank()))) {
    if (failed(padTable(op, e, tables[axis], pads.asInt(i), pads.asInt(i + count)))) {
      return failure();
    }
  }
  copyByOffsets(result, input, tables);
  return success();
}

LogicalResult evaluateShape(graph::ShapeOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  Tensor &result = e.output();
  int64_t start = static_cast<int64_t>(op.getStart());
  int64_t end = op.getEnd() ? static_cast<int64_t>(*op.getEnd()) : input.rank();
  int64_t first = graph::sliceRange(input.rank(), start, end, /*step=*/1).start;
  for (int64_t i = 0; i < result.size(); ++i) {
    result.setInt(i, input.dim(first + i));
  }
  return success();
}

LogicalResult evaluateTrilu(graph::TriluOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  Tensor &result = e.output();
  if (result.isEmpty()) {
    return success();
  }
  int64_t rows = input.dim(input.rank() - 2);
  int64_t columns = input.dim(input.rank() - 1);
  int64_t diagonal = op.getK() ? e.input(op.getK()).asInt(0) : 0;
  diagonal = std::clamp(diagonal, -rows - 1, columns + 1); // same result without overflow
  ElementCopier copier(result, input);
  for (int64_t row = 0; row < input.size() / columns; ++row) {
    int64_t first = row % rows + diagonal; // on the diagonal
    int64_t begin = op.getUpper() ? std::clamp<int64_t>(first, 0, columns) : 0;
    int64_t end = op.getUpper() ? columns : std::clamp<int64_t>(first + 1, 0, columns);
    copier.copy(row * columns + begin, row * columns + begin, end - begin);
  }
  return success();
}

LogicalResult evaluateBitcast(graph::BitcastOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  Tensor &result = e.output();
  if (result.isEmpty()) {
    return success();
  }
  std::memcpy(result.mutableRaw(), input.raw(), result.bytes());
  int64_t bits = bitWidth(result.type());
  if (bits < 8) {
    // Narrow elements use a whole byte: the new type determines the high bits.
    for (int64_t i = 0; i < result.size(); ++i) {
      uint8_t &byte = result.mutableData<uint8_t>()[i];
      byte &= (1 << bits) - 1;
      bool isNegative = isSignedInteger(result.type()) && (byte >> (bits - 1));
      byte |= isNegative ? 0xff << bits : 0;
    }
  }
  return success();
}

} // namespace

void addTensorEvaluators(EvaluatorTable &table) {
  table.add<graph::ConstantOp, evaluateConstant>();
  table.add<graph::ReshapeOp, evaluateReshape>();
  table.add<graph::TransposeOp, evaluateTranspose>();
  table.add<graph::SliceOp, evaluateSlice>();
  table.add<graph::ConcatOp, evaluateConcat>();
  table.add<graph::SplitOp, evaluateSplit>();
  table.add<graph::ReorderOp, evaluateReorder>();
  table.add<graph::ExpandOp, evaluateExpand>();
  table.add<graph::TileOp, evaluateTile>();
  table.add<graph::PadOp, evaluatePad>();
  table.add<graph::ShapeOp, evaluateShape>();
  table.add<graph::TriluOp, evaluateTrilu>();
  table.add<graph::BitcastOp, evaluateBitcast>();
}

} // namespace convoy::reference
