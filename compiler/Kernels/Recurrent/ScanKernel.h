// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scan that the template `recurrent` supports, shared by its cost model and its emitter.

#pragma once

#include "Graph/Graph.h"
#include <optional>
#include <string>

namespace convoy::kernels {

/// A kernel of one scan along the first axis. Every tensor of a step is a matrix with one row per
/// entry of the batch, and no op of the body mixes rows. All yielded tensors have the same shape.
struct ScanKernel {
  mutable graph::ScanOp scan; // mutable, because the accessors of ops are not const
  /// The products of a step, in order. Operand 1 is an argument of the kernel with no other use.
  llvm::SmallVector<graph::MatMulOp> products;
  int64_t steps = 0;
  int64_t batch = 0;

  mlir::Block &body() const { return scan.getBody().front(); }
  unsigned states() const { return scan.getStates().size(); }
  llvm::ArrayRef<int64_t> yieldShape() const;
};

/// A matched kernel, or the reason why the kernel does not match.
struct ScanMatch {
  std::optional<ScanKernel> kernel;
  std::string reason;
};

/// Matches a scan in a block of graph ops, of a graph.kernel or of its function.
ScanMatch matchScanKernel(mlir::Block &body);

} // namespace convoy::kernels
