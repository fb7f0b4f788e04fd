// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements movesBlocks: follows the dimension of the channels from the result back to the source.

#include "Kernels/Loops/BlockMoves.h"
#include "Graph/Constant.h"
#include "Graph/Graph.h"
#include "Graph/Layout.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

int64_t elementsAfter(ArrayRef<int64_t> shape, int64_t dim) {
  int64_t elements = 1;
  for (int64_t size : shape.drop_front(dim + 1)) {
    elements *= size;
  }
  return elements;
}

/// Returns the dimension of the operand whose elements are the blocks along dimension `dim` of the
/// result, or nullopt.
std::optional<int64_t> sourceOf(graph::ReshapeOp op, int64_t dim, int64_t block) {
  int64_t after = elementsAfter(shapeOf(op.getResult()), dim);
  ArrayRef<int64_t> shape = shapeOf(op.getInput());
  for (auto [i, size] : llvm::enumerate(shape)) {
    auto own = static_cast<int64_t>(i);
    if (size % block == 0 && elementsAfter(shape, own) == after) {
      return own;
    }
  }
  return std::nullopt;
}

std::optional<int64_t> sourceOf(graph::SliceOp op, int64_t dim) {
  std::optional<Tensor> axes = op.getAxes() ? graph::constantValue(op.getAxes()) : std::nullopt;
  int64_t rank = shapeOf(op.getInput()).size();
  bool keepsDim = axes && llvm::none_of(axes->ints(), [&](int64_t axis) {
                    return (axis < 0 ? axis + rank : axis) == dim;
                  });
  return keepsDim ? std::optional(dim) : std::nullopt;
}

} // namespace

bool movesBlocks(Value result, Value source, int64_t block) {
  auto rankOf = [](Value value) { return static_cast<int64_t>(shapeOf(value).size()); };
  if (block < 2 || rankOf(result) < 3 || rankOf(source) < 3) {
    return false;
  }
  std::optional<int64_t> dim = graph::channelDim(rankOf(result));
  bool isMoved = false;
  for (Value value = result; value != source;) {
    Operation *op = value.getDefiningOp();
    if (!op || shapeOf(value)[*dim] % block != 0 ||
        cast<RankedTensorType>(value.getType()).getNumElements() == 0) {
      return false;
    }
    dim = llvm::TypeSwitch<Operation *, std::optional<int64_t>>(op)
              .Case([&](graph::ReshapeOp reshape) { return sourceOf(reshape, *dim, block); })
              .Case([&](graph::SliceOp slice) { return sourceOf(slice, *dim); })
              .Case([&](graph::TransposeOp transpose) {
                isMoved = true;
                return std::optional<int64_t>(transpose.getPerm()[*dim]);
              })
              .Default([](Operation *) { return std::optional<int64_t>(); });
    if (!dim) {
      return false;
    }
    value = op->getOperand(0);
  }
  return isMoved && *dim == graph::channelDim(rankOf(source)) && shapeOf(source)[*dim] % block == 0;
}

} // namespace convoy::kernels
