// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the kernels that can run row by row: each step computes one row of the result, and the
// kernel reaches tensors only through task.row_view.

#pragma once

#include "Task/RowSteps.h"
#include "Task/Task.h"
#include "llvm/ADT/DenseMap.h"

namespace convoy::memory {

/// A kernel whose step i computes row i of its only result.
struct RowKernel {
  /// By operand: the window of rows that a row of the result reads; nullopt if the operand is not
  /// read by rows.
  llvm::SmallVector<std::optional<graph::SlidingWindow>> reads;
  /// By argument: the rows of a tensor that the kernel reaches only through task.row_view, else 0.
  llvm::SmallVector<int64_t> rows;
  /// The kernel fetches rows of an input, which arrive in ascending order.
  bool isAscending = false;
};

/// Returns the RowKernel of a lowered kernel, or nullopt if it cannot run row by row.
std::optional<RowKernel> rowKernelOf(task::KernelOp kernel);

/// The kernels of a module by name.
class RowKernels {
public:
  explicit RowKernels(mlir::ModuleOp module);

  /// Returns the kernel of a run, or null if it cannot run row by row.
  const RowKernel *of(task::RunOp run) const;

private:
  llvm::DenseMap<mlir::StringAttr, RowKernel> kernels;
};

} // namespace convoy::memory
