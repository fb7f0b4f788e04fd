// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the algebra of views. A reshape regroups the digits of all dimensions and splits a
// digit where a new dimension ends inside it.

#include "Kernels/Attention/StridedView.h"
#include "Graph/Graph.h"

using namespace mlir;

namespace convoy::kernels {

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

StridedView StridedView::ofShape(ArrayRef<int64_t> shape) {
  StridedView view;
  view.list.resize(shape.size());
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0; stride *= shape[i]) {
    if (shape[i] != 1) {
      view.list[i].push_back({shape[i], stride});
    }
  }
  return view;
}

int64_t StridedView::size(int64_t dim) const {
  int64_t product = 1;
  for (const Digit &digit : list[dim]) {
    product *= digit.size;
  }
  return product;
}

/// Adds a digit below the others, as part of the last digit if one stride describes both.
static void append(ViewDim &dim, Digit digit) {
  if (!dim.empty() && dim.back().stride == digit.size * digit.stride) {
    dim.back() = {dim.back().size * digit.size, digit.stride};
  } else {
    dim.push_back(digit);
  }
}

bool StridedView::reshape(ArrayRef<int64_t> shape) {
  SmallVector<Digit> digits; // the least significant digit first
  for (const ViewDim &dim : llvm::reverse(list)) {
    digits.append(dim.rbegin(), dim.rend());
  }
  SmallVector<ViewDim, 4> result(shape.size());
  for (auto [dim, size] : llvm::zip(result, shape)) {
    for (int64_t rest = size; rest > 1;) {
      if (digits.empty()) {
        return false;
      }
      Digit next = digits.pop_back_val();
      if (rest % next.size == 0) {
        append(dim, next);
        rest /= next.size;
      } else if (next.size % rest == 0) {
        int64_t inner = next.size / rest;
        append(dim, {rest, next.stride * inner});
        digits.push_back({inner, next.stride});
        rest = 1;
      } else {
        return false;
      }
    }
  }
  if (!digits.empty()) {
    return false;
  }
  list = std::move(result);
  return true;
}

void StridedView::transpose(ArrayRef<int64_t> perm) {
  SmallVector<ViewDim, 4> result;
  for (int64_t from : perm) {
    result.push_back(list[from]);
  }
  list = std::move(result);
}

void StridedView::expand(ArrayRef<int64_t> shape) {
  list.insert(list.begin(), shape.size() - list.size(), ViewDim());
  for (auto [dim, size] : llvm::zip(list, shape)) {
    if (dim.empty() && size != 1) {
      dim.push_back({size, 0});
    }
  }
}

bool StridedView::apply(Operation *op) {
  ArrayRef<int64_t> shape = shapeOf(op->getResult(0));
  if (auto transposed = dyn_cast<graph::TransposeOp>(op)) {
    transpose(transposed.getPerm());
    return true;
  }
  if (isa<graph::ExpandOp>(op)) {
    expand(shape);
    return true;
  }
  return isa<graph::ReshapeOp>(op) && reshape(shape);
}

bool StridedView::undo(Operation *op) {
  if (auto transposed = dyn_cast<graph::TransposeOp>(op)) {
    SmallVector<int64_t> inverse(rank());
    for (auto [to, from] : llvm::enumerate(transposed.getPerm())) {
      inverse[from] = static_cast<int64_t>(to);
    }
    transpose(inverse);
    return true;
  }
  return isa<graph::ReshapeOp>(op) && reshape(shapeOf(op->getOperand(0)));
}

} // namespace convoy::kernels
