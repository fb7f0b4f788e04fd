// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates ops that read elements at indices or under a condition. An index
// out of range is an error and never reads outside the tensor.

#include "reference/ElementCopy.h"
#include "reference/Evaluation.h"
#include "reference/Indices.h"

using namespace mlir;

namespace convoy::reference {

std::optional<int64_t> elementIndex(Evaluation &e, const Tensor &indices, int64_t i, int64_t dim) {
  int64_t index = indices.asInt(i);
  if (index >= -dim && index < dim) {
    return index < 0 ? index + dim : index;
  }
  e.error() << "has index " << index << " into a dimension of size " << dim
            << ", expected a value in [" << -dim << ", " << dim << ")";
  return std::nullopt;
}

std::optional<int64_t> tupleOffset(Evaluation &e, const Tensor &indices, int64_t tuple,
                                   ArrayRef<int64_t> dims, ArrayRef<int64_t> strides) {
  int64_t length = indices.shape().back();
  int64_t offset = 0;
  for (int64_t i = 0; i < length; ++i) {
    std::optional<int64_t> index = elementIndex(e, indices, tuple * length + i, dims[i]);
    if (!index) {
      return std::nullopt;
    }
    offset += *index * strides[i];
  }
  return offset;
}

int64_t offsetBeside(ArrayRef<int64_t> index, ArrayRef<int64_t> strides, int64_t axis) {
  int64_t offset = 0;
  for (size_t d = 0; d < index.size(); ++d) {
    offset += static_cast<int64_t>(d) == axis ? 0 : index[d] * strides[d];
  }
  return offset;
}

namespace {

int64_t countOf(ArrayRef<int64_t> shape) { return elementCount(shape).value_or(0); }

LogicalResult evaluateGather(graph::GatherOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  const Tensor &indices = e.input(op.getIndices());
  Tensor &result = e.output();
  if (result.isEmpty()) {
    return success();
  }
  int64_t axis = op.getAxis();
  int64_t dim = input.dim(axis);
  int64_t outer = countOf(input.shape().take_front(axis));
  int64_t inner = countOf(input.shape().drop_front(axis + 1));
  std::vector<int64_t> selected;
  for (int64_t i = 0; i < indices.size(); ++i) {
    std::optional<int64_t> index = elementIndex(e, indices, i, dim);
    if (!index) {
      return failure();
    }
    selected.push_back(*index * inner);
  }
  copyByOffsets(result, input,
                {DimOffsets(outer, 0, dim * inner), selected, DimOffsets(inner, 0, 1)});
  return success();
}

LogicalResult evaluateGatherElements(graph::GatherElementsOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  const Tensor &indices = e.input(op.getIndices());
  Tensor &result = e.output();
  if (result.isEmpty()) {
    return success();
  }
  int64_t axis = op.getAxis();
  Shape strides = stridesOf(input.shape());
  ElementCopier copier(result, input);
  bool isValid = true;
  forEachIndex(indices.shape(), [&](ArrayRef<int64_t> index, int64_t i) {
    std::optional<int64_t> selected;
    if (isValid) {
      selected = elementIndex(e, indices, i, input.dim(axis));
    }
    isValid = selected.has_value();
    if (isValid) {
      copier.copy(i, offsetBeside(index, strides, axis) + *selected * strides[axis]);
    }
  });
  return success(isValid);
}

LogicalResult evaluateGatherND(graph::GatherNDOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  const Tensor &indices = e.input(op.getIndices());
  Tensor &result = e.output();
  if (result.isEmpty()) {
    return success();
  }
  int64_t batchDims = op.getBatchDims();
  int64_t length = indices.shape().back();
  int64_t sliceSize = countOf(input.shape().drop_front(batchDims + length));
  int64_t batchSize = countOf(input.shape().drop_front(batchDims));
  int64_t tuples = result.size() / sliceSize;
  int64_t tuplesPerBatch = tuples / countOf(input.shape().take_front(batchDims));
  Shape strides = stridesOf(input.shape());
  ElementCopier copier(result, input);
  for (int64_t i = 0; i < tuples; ++i) {
    std::optional<int64_t> offset = tupleOffset(e, indices, i, input.shape().drop_front(batchDims),
                                                ArrayRef<int64_t>(strides).drop_front(batchDims));
    if (!offset) {
      return failure();
    }
    copier.copy(i * sliceSize, i / tuplesPerBatch * batchSize + *offset, sliceSize);
  }
  return success();
}

LogicalResult evaluateOneHot(graph::OneHotOp op, Evaluation &e) {
  const Tensor &indices = e.input(op.getIndices());
  const Tensor &values = e.input(op.getValues());
  Tensor &result = e.output();
  if (result.isEmpty()) {
    return success();
  }
  int64_t axis = op.getAxis();
  int64_t depth = result.dim(axis);
  int64_t inner = countOf(indices.shape().drop_front(axis));
  fill(result, values);
  ElementCopier copier(result, values);
  for (int64_t i = 0; i < indices.size(); ++i) {
    int64_t index = indices.asInt(i);
    index += index < 0 ? depth : 0;
    if (index >= 0 && index < depth) {
      copier.copy((i / inner * depth + index) * inner + i % inner, 1);
    }
  }
  return success();
}

LogicalResult evaluateReverseSequence(graph::ReverseSequenceOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  Tensor &result = e.output();
  if (result.isEmpty()) {
    return success();
  }
  int64_t batchAxis = op.getBatchAxis();
  int64_t timeAxis = op.getTimeAxis();
  Shape lengths = e.input(op.getSequenceLens()).ints();
  for (int64_t length : lengths) {
    if (length < 0 || length > input.dim(timeAxis)) {
      return e.error() << "has a sequence of length " << length << " in a time axis of size "
                       << input.dim(timeAxis) << " [reverse_sequence.2]";
    }
  }
  Shape strides = stridesOf(input.shape());
  ElementCopier copier(result, input);
  forEachIndex(input.shape(), [&](ArrayRef<int64_t> index, int64_t i) {
    int64_t time = index[timeAxis];
    int64_t length = lengths[index[batchAxis]];
    int64_t source = time < length ? length - 1 - time : time;
    copier.copy(i, i + (source - time) * strides[timeAxis]);
  });
  return success();
}

LogicalResult evaluateCompress(graph::CompressOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  const Tensor &condition = e.input(op.getCondition());
  Tensor &result = e.output();
  if (result.isEmpty()) {
    return success();
  }
  OffsetTables tables = op.getAxis() ? tablesOf(input.shape()) : tablesOf({input.size()});
  DimOffsets &table = tables[op.getAxis().value_or(0)];
  std::vector<int64_t> kept;
  for (int64_t i = 0; i < condition.size(); ++i) {
    if (condition.data<bool>()[i]) {
      kept.push_back(table[i]);
    }
  }
  table = std::move(kept);
  copyByOffsets(result, input, tables);
  return success();
}

LogicalResult evaluateNonZero(graph::NonZeroOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  Tensor &result = e.output();
  if (result.isEmpty()) {
    return success();
  }
  int64_t column = 0;
  int64_t *out = result.mutableData<int64_t>();
  forEachIndex(input.shape(), [&](ArrayRef<int64_t> index, int64_t i) {
    if (input.asDouble(i) == 0) {
      return;
    }
    for (int64_t d = 0; d < input.rank(); ++d) {
      out[d * result.dim(1) + column] = index[d];
    }
    ++column;
  });
  return success();
}

} // namespace

void addSelectionEvaluators(EvaluatorTable &table) {
  table.add<graph::GatherOp, evaluateGather>();
  table.add<graph::GatherElementsOp, evaluateGatherElements>();
  table.add<graph::GatherNDOp, evaluateGatherND>();
  table.add<graph::OneHotOp, evaluateOneHot>();
  table.add<graph::ReverseSequenceOp, evaluateReverseSequence>();
  table.add<graph::CompressOp, evaluateCompress>();
  table.add<graph::NonZeroOp, evaluateNonZero>();
}

} // namespace convoy::reference
