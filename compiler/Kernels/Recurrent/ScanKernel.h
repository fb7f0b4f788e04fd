// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scan that the template `recurrent` supports, shared by its cost model and its emitter.

#pragma once

#include "Graph/Graph.h"
#include "Kernels/Kernel.h"
#include "Kernels/Machine.h"
#include "Task/Task.h"
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
  /// The scanned tensor of i1 whose false rows end the sequence of a batch entry, if there is one.
  /// In a step in which all rows are false, the values of `inactive` are the yielded values; they
  /// are states and constants.
  std::optional<unsigned> mask;
  llvm::SmallVector<mlir::Value> inactive;

  mlir::Block &body() const { return scan.getBody().front(); }
  unsigned states() const { return scan.getStates().size(); }
  llvm::ArrayRef<int64_t> yieldShape() const;
};

/// Matches a scan in a block of graph ops, of a graph.kernel or of its function. Sets `reason` if
/// the kernel does not match.
std::optional<ScanKernel> matchScanKernel(mlir::Block &body, std::string &reason);

/// Lowers a kernel function whose configuration is `config`.
mlir::LogicalResult lowerRecurrent(task::KernelOp kernel, const ScanKernel &scan,
                                   RecurrentAttr config, const Machine &machine);

} // namespace convoy::kernels
