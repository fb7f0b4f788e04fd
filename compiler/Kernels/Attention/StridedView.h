// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tensor that transposes, reshapes and broadcasts derive from another tensor, as strides into the
// memory of that tensor. The attention template reads and writes its operands through such views,
// so the movement ops around an attention need no copies:
//
//     %a = reshape   %x : 128x384       -> 1x128x12x32
//     %b = transpose %a : 1x128x12x32   -> 1x12x32x128   sizes 1, 12, 32, 128, strides -, 32, 1,
//     384

#pragma once

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace convoy::kernels {

/// A part of a dimension: `size` positions that are `stride` elements apart in memory.
struct Digit {
  int64_t size;
  int64_t stride;
};

/// A dimension as a number with digits, the most significant digit first. Most dimensions have one
/// digit. A dimension that joins two others may have more. A dimension of size 1 has none.
using ViewDim = llvm::SmallVector<Digit, 2>;

class StridedView {
public:
  StridedView() = default;
  /// Returns the view of a row-major tensor.
  static StridedView ofShape(llvm::ArrayRef<int64_t> shape);

  llvm::ArrayRef<ViewDim> dims() const { return list; }
  int64_t rank() const { return static_cast<int64_t>(list.size()); }
  int64_t size(int64_t dim) const;
  /// Returns whether one stride describes the dimension.
  bool isEven(int64_t dim) const { return list[dim].size() <= 1; }
  /// Returns the stride of an even dimension; 0 if its size is 1.
  int64_t stride(int64_t dim) const { return list[dim].empty() ? 0 : list[dim][0].stride; }

  /// Reshapes the view. Returns false and leaves the view unchanged if the result is not a view.
  bool reshape(llvm::ArrayRef<int64_t> shape);
  /// Makes dimension i of the view the dimension perm[i] of the old view.
  void transpose(llvm::ArrayRef<int64_t> perm);
  /// Broadcasts to a shape, with NumPy rules.
  void expand(llvm::ArrayRef<int64_t> shape);
  /// Applies a transpose, reshape or expand op to a view of its operand. Returns false if the
  /// result is not a view or the op is of another kind.
  bool apply(mlir::Operation *op);
  /// Turns a view of the result of a transpose or reshape op into a view of its operand. Returns
  /// false if that is not possible.
  bool undo(mlir::Operation *op);

private:
  llvm::SmallVector<ViewDim, 4> list;
};

} // namespace convoy::kernels
