// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The product_bytes template: products of 8-bit matrices with zero points that are known at run
// time, the cost model and the search space.

#pragma once

#include "Graph/Graph.h"
#include "Kernels/Kernel.h"
#include "Kernels/Machine.h"
#include "Kernels/Space.h"
#include "Task/Task.h"
#include <optional>
#include <string>

namespace convoy::kernels {

/// Version of the generated code. Increment it when the same configuration generates different
/// code; this invalidates older records.
inline constexpr int kProductBytesVersion = 1;

/// A kernel of one byte_matmul of two matrices, followed by element-wise ops.
struct BytesProduct {
  mutable graph::ByteMatMulOp op; // mutable, because the accessors of ops are not const
  unsigned lhs = 0, rhs = 0;      // block argument numbers
  int64_t rows = 0, depth = 0, columns = 0;
  bool isLhsSigned = false, isRhsSigned = false;
};

/// Matches a kernel in a block of graph ops. If the kernel does not match, returns nullopt and sets
/// `reason`.
std::optional<BytesProduct> matchBytesProduct(mlir::Block &body, std::string &reason);

/// Returns the reason why a configuration does not fit the product on the machine, or an empty
/// string. The configuration may come from a file.
std::string whyNotProductBytes(const BytesProduct &product, ProductBytesAttr config);

/// Returns the configurations of a product. The point with the fewest cycles is the default.
Space productBytesSpace(const BytesProduct &product, const Machine &machine,
                        mlir::MLIRContext *context);

/// Returns the weight layout that a configuration reads.
mlir::Attribute productBytesWeights(ProductBytesAttr config);

/// Lowers a kernel function whose configuration is `config`.
mlir::LogicalResult lowerProductBytes(task::KernelOp kernel, const BytesProduct &product,
                                      ProductBytesAttr config, const Machine &machine);

} // namespace convoy::kernels
