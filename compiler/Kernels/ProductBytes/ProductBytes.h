// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels of the product_bytes template, products of 8-bit matrices with zero points that are
// known at run time, and its emitter.

#pragma once

#include "Graph/Graph.h"
#include "Kernels/Kernel.h"
#include "Kernels/Machine.h"
#include "Task/Task.h"

namespace convoy::kernels {

/// A kernel of one byte_matmul of two matrices, followed by element-wise ops.
struct BytesProduct {
  mutable graph::ByteMatMulOp op; // mutable, because the accessors of ops are not const
  unsigned lhs = 0, rhs = 0;      // block argument numbers
  int64_t rows = 0, depth = 0, columns = 0;
  bool isLhsSigned = false, isRhsSigned = false;
};

/// Lowers a kernel function whose configuration is `config`.
mlir::LogicalResult lowerProductBytes(task::KernelOp kernel, const BytesProduct &product,
                                      ProductBytesAttr config, const Machine &machine);

} // namespace convoy::kernels
