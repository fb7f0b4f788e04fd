// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates the ops of Extent.td. The elements of the actual result are the
// first elements of each result, and zeros follow.

#include "Graph/Extent.h"
#include "reference/ElementCopy.h"
#include "reference/Evaluation.h"

using namespace mlir;

namespace convoy::reference {
namespace {

LogicalResult evaluateBoundedCompress(graph::BoundedCompressOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  const Tensor &condition = e.input(op.getCondition());
  Tensor &result = e.output(0);
  Tensor &extents = e.output(1);
  if (!e.isWhole()) {
    return failure();
  }
  graph::CompressSpan span(input.shape(), op.getAxis(), condition.size());
  std::vector<int64_t> kept;
  for (int64_t i = 0; i < span.selectable; ++i) {
    if (condition.data<bool>()[i]) {
      kept.push_back(i);
    }
  }
  extents.setInt(0, static_cast<int64_t>(kept.size()));
  ElementCopier copier(result, input);
  int64_t position = 0;
  for (int64_t o = 0; o < span.outer && span.inner > 0; ++o) {
    for (int64_t slice : kept) {
      copier.copy(position, (o * span.slices + slice) * span.inner, span.inner);
      position += span.inner;
    }
  }
  return success();
}

LogicalResult evaluateBoundedNonZero(graph::BoundedNonZeroOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  Tensor &result = e.output(0);
  Tensor &extents = e.output(1);
  if (!e.isWhole()) {
    return failure();
  }
  std::vector<Shape> found;
  forEachIndex(input.shape(), [&](ArrayRef<int64_t> index, int64_t i) {
    if (input.asDouble(i) != 0) {
      found.emplace_back(index.begin(), index.end());
    }
  });
  extents.setInt(0, static_cast<int64_t>(found.size()));
  int64_t position = 0;
  for (int64_t d = 0; d < input.rank(); ++d) {
    for (const Shape &index : found) {
      result.setInt(position++, index[d]);
    }
  }
  return success();
}

} // namespace

void addExtentEvaluators(EvaluatorTable &table) {
  table.add<graph::BoundedCompressOp, evaluateBoundedCompress>();
  table.add<graph::BoundedNonZeroOp, evaluateBoundedNonZero>();
}

} // namespace convoy::reference
