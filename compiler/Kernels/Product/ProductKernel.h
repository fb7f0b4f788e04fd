// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognizes kernels with one matrix product whose operands are transposed or not, and describes
// the product by its strides in memory. The template `product` and the fusion stage use it.

#pragma once

#include "Graph/Graph.h"

namespace convoy::kernels {

/// A kernel with one graph.matmul, transposes of its operands, and element-wise ops and transposes
/// after it. Lanes run along columns.
struct ProductKernel {
  mutable graph::MatMulOp op; // mutable, because the accessors of ops are not const
  /// The numbers of the kernel operands with the left and the right factor.
  unsigned left = 0, right = 0;
  bool isLeftF32 = true, isRightF32 = true;
  llvm::SmallVector<int64_t> batch; // sizes of the batch dimensions
  int64_t rows = 1, depth = 1, columns = 1;
  /// Distances in elements, one per batch dimension. A factor that broadcasts has the stride 0.
  llvm::SmallVector<int64_t> leftBatch, rightBatch;
  int64_t leftRow = 0, leftDepth = 0, rightDepth = 0, rightColumn = 0;
  /// The dimension of the product's result with the rows and the columns, or -1 if it has none. If
  /// the result of the kernel is contiguous along the rows of the product, the two factors are
  /// swapped: the rows of the product are `columns`.
  int64_t rowDim = -1, columnDim = -1;
  /// Dimension i of the kernel's result is dimension order[i] of the product's result.
  llvm::SmallVector<int64_t> order;
  /// The number of element-wise ops after the product.
  int64_t epilogueOps = 0;
  /// The distance of two columns in the result of the kernel, in elements.
  int64_t resultColumn = 1;

  /// Returns the number of matrices.
  int64_t batches() const;
  int64_t multiplications() const { return batches() * rows * depth * columns; }
};

/// Fills `product` from the body of a kernel and returns an empty string, or returns the reason why
/// the kernel is not such a product.
std::string matchProduct(mlir::Block &body, ProductKernel &product);

} // namespace convoy::kernels
