// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates ops that write into a copy of their input at indices, and col2im,
// which sums into an image. Sums of floats accumulate in double and round once.

#include "reference/ElementCopy.h"
#include "reference/Evaluation.h"
#include "reference/Indices.h"
#include <cmath>

using namespace mlir;

namespace convoy::reference {
namespace {

/// The position in the result of each element of the updates, in order.
using Targets = std::vector<int64_t>;

double combineFloats(graph::ScatterKind kind, double old, double update) {
  switch (kind) {
  case graph::ScatterKind::None:
    return update;
  case graph::ScatterKind::Add:
    return old + update;
  case graph::ScatterKind::Mul:
    return old * update;
  case graph::ScatterKind::Min:
    return std::isnan(old) || old < update ? old : update;
  case graph::ScatterKind::Max:
    return std::isnan(old) || old > update ? old : update;
  }
  llvm_unreachable("all kinds are above");
}

/// Combines integers with wrap-around: sums and products are unsigned.
int64_t combineIntegers(graph::ScatterKind kind, int64_t old, int64_t update, bool isUnsigned) {
  uint64_t a = old;
  uint64_t b = update;
  bool isLess = isUnsigned ? a < b : old < update;
  switch (kind) {
  case graph::ScatterKind::None:
    return update;
  case graph::ScatterKind::Add:
    return static_cast<int64_t>(a + b);
  case graph::ScatterKind::Mul:
    return static_cast<int64_t>(a * b);
  case graph::ScatterKind::Min:
    return isLess ? old : update;
  case graph::ScatterKind::Max:
    return isLess ? update : old;
  }
  llvm_unreachable("all kinds are above");
}

void scatterFloats(Tensor &result, const Tensor &updates, const Targets &targets,
                   graph::ScatterKind kind) {
  std::vector<double> sums(result.size());
  for (int64_t i = 0; i < result.size(); ++i) {
    sums[i] = result.asDouble(i);
  }
  for (int64_t i = 0; i < updates.size(); ++i) {
    sums[targets[i]] = combineFloats(kind, sums[targets[i]], updates.asDouble(i));
  }
  for (int64_t target : targets) {
    result.setDouble(target, sums[target]);
  }
}

LogicalResult scatter(Evaluation &e, Tensor &result, const Tensor &updates, const Targets &targets,
                      graph::ScatterKind kind) {
  ElementType type = result.type();
  if (kind == graph::ScatterKind::None) {
    ElementCopier copier(result, updates);
    for (int64_t i = 0; i < updates.size(); ++i) {
      copier.copy(targets[i], i);
    }
  } else if (isFloat(type)) {
    scatterFloats(result, updates, targets, kind);
  } else if (isInteger(type) || type == ElementType::Bool) {
    for (int64_t i = 0; i < updates.size(); ++i) {
      result.setInt(targets[i], combineIntegers(kind, result.asInt(targets[i]), updates.asInt(i),
                                                isUnsignedInteger(type)));
    }
  } else {
    return e.unsupported() << "not supported: reduction of " << name(type)
                           << " elements; use a numeric type";
  }
  return success();
}

LogicalResult evaluateScatterElements(graph::ScatterElementsOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  const Tensor &indices = e.input(op.getIndices());
  Tensor &result = e.output();
  if (result.isEmpty()) {
    return success();
  }
  result = input;
  int64_t axis = op.getAxis();
  Shape strides = stridesOf(input.shape());
  Targets targets;
  bool isValid = true;
  forEachIndex(indices.shape(), [&](ArrayRef<int64_t> index, int64_t i) {
    std::optional<int64_t> selected;
    if (isValid) {
      selected = elementIndex(e, indices, i, input.dim(axis));
    }
    isValid = selected.has_value();
    targets.push_back(offsetBeside(index, strides, axis) + selected.value_or(0) * strides[axis]);
  });
  return isValid ? scatter(e, result, e.input(op.getUpdates()), targets, op.getKind())
                 : failure(); // elementIndex emitted an error.
}

LogicalResult evaluateScatterND(graph::ScatterNDOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  const Tensor &indices = e.input(op.getIndices());
  const Tensor &updates = e.input(op.getUpdates());
  Tensor &result = e.output();
  if (result.isEmpty()) {
    return success();
  }
  result = input;
  int64_t length = indices.shape().back();
  int64_t sliceSize = elementCount(input.shape().drop_front(length)).value_or(0);
  Shape strides = stridesOf(input.shape());
  Targets targets;
  for (int64_t tuple = 0; tuple < updates.size() / sliceSize; ++tuple) {
    std::optional<int64_t> offset = tupleOffset(e, indices, tuple, input.shape(), strides);
    if (!offset) {
      return failure(); // tupleOffset emitted an error.
    }
    for (int64_t i = 0; i < sliceSize; ++i) {
      targets.push_back(*offset + i);
    }
  }
  return scatter(e, result, updates, targets, op.getKind());
}

/// The geometry of one col2im: the position of each block element of a column.
struct ImageGeometry {
  explicit ImageGeometry(graph::Col2ImOp op, Evaluation &e)
      : image(e.input(op.getImageShape()).ints()), block(e.input(op.getBlockShape()).ints()),
        dilations(op.getDilations()), pads(op.getPads()), steps(op.getStrides()),
        strides(stridesOf(image)) {
    for (size_t d = 0; d < image.size(); ++d) {
      int64_t span = dilations[d] * (block[d] - 1) + 1;
      columns.push_back((image[d] + pads[d] + pads[d + image.size()] - span) / steps[d] + 1);
    }
  }

  /// Returns the position in the image, or kNoSource in the padding.
  int64_t position(ArrayRef<int64_t> inBlock, ArrayRef<int64_t> column) const {
    int64_t result = 0;
    for (size_t d = 0; d < image.size(); ++d) {
      int64_t at = column[d] * steps[d] + inBlock[d] * dilations[d] - pads[d];
      if (at < 0 || at >= image[d]) {
        return kNoSource;
      }
      result += at * strides[d];
    }
    return result;
  }

  Shape image, block, columns;
  ArrayRef<int64_t> dilations, pads, steps;
  Shape strides;
};

LogicalResult evaluateCol2Im(graph::Col2ImOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  Tensor &result = e.output();
  if (result.isEmpty()) {
    return success();
  }
  ImageGeometry geometry(op, e);
  int64_t planes = result.dim(0) * result.dim(1);
  int64_t imageSize = result.size() / planes;
  int64_t columnsSize = input.dim(2);
  int64_t blockSize = input.size() / planes / columnsSize;
  Targets targets(input.size());
  // Positions in the padding accumulate in one element after the image.
  Tensor sums(input.type(), {result.size() + 1});
  forEachIndex(geometry.block, [&](ArrayRef<int64_t> inBlock, int64_t b) {
    forEachIndex(geometry.columns, [&](ArrayRef<int64_t> column, int64_t c) {
      int64_t at = geometry.position(inBlock, column);
      for (int64_t plane = 0; plane < planes; ++plane) {
        targets[(plane * blockSize + b) * columnsSize + c] =
            at == kNoSource ? result.size() : plane * imageSize + at;
      }
    });
  });
  if (failed(scatter(e, sums, input, targets, graph::ScatterKind::Add))) {
    return failure();
  }
  ElementCopier(result, sums).copy(0, 0, result.size());
  return success();
}

} // namespace

void addScatterEvaluators(EvaluatorTable &table) {
  table.add<graph::ScatterElementsOp, evaluateScatterElements>();
  table.add<graph::ScatterNDOp, evaluateScatterND>();
  table.add<graph::Col2ImOp, evaluateCol2Im>();
}

} // namespace convoy::reference
