// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes a kernel of element-wise ops and reductions over the same trailing dimensions as passes
// over the elements of a row. The template `rows` supports a kernel if it has this form. The cost
// model and the emitter read the description.
//
//     softmax            pass 0: max of x     pass 1: e = exp(x - max), sum of e     pass 2: e /
//     sum layer norm         pass 0: mean of x    pass 1: mean of (x - mean)^2           pass 2:
//     result

#pragma once

#include "Graph/Graph.h"
#include "Kernels/Kernel.h"
#include "Kernels/Loops/KernelEmitter.h"
#include "Kernels/Machine.h"
#include "Task/Task.h"
#include "mlir/IR/OwningOpRef.h"
#include <vector>

namespace convoy::kernels {

/// A pass over the elements of a row.
struct RowPass {
  /// Values that are the same for the whole row, to compute before the pass.
  llvm::SmallVector<mlir::Value> rowValues;
  llvm::SmallVector<graph::ReduceOp> reductions;
  /// The numbers of the results whose elements the pass computes.
  llvm::SmallVector<unsigned> results;
  /// The numbers of the kept values that the pass computes first, and that it reads again.
  llvm::SmallVector<unsigned> stored;
  llvm::SmallVector<unsigned> loaded;
  /// Divisions by a value per row whose reciprocal is a normal number.
  llvm::SmallVector<graph::BinaryOp> divisions;
  /// Estimated cycles per vector.
  double cycles = 0;
};

struct RowProblem {
  /// Merged dimensions: `leading` dimensions of rows, then `outer` and `inner` dimensions of a row.
  Collapse collapse;
  Shape leading;
  Shape outer;
  int64_t inner = 1; // adjacent in memory, so lanes run along it
  std::vector<RowPass> passes;
  /// Values that are expensive to compute and that several passes read.
  llvm::SmallVector<mlir::Value> kept;
  /// The numbers of the results with one element per row.
  llvm::SmallVector<unsigned> rowResults;

  int64_t rows() const { return elementCount(leading).value_or(0); }
  int64_t length() const { return elementCount(outer).value_or(0) * inner; }
  int64_t reductions() const;
  /// Returns the lanes of a vector: the largest power of two that a row fills.
  int64_t width(int64_t vectorBytes) const;
};

/// Rows whose kept values exceed this size compute the values again in each pass. Beyond it, the
/// kept values of a row leave the first-level cache.
inline constexpr int64_t kMostKeptElements = 8192;

/// Keeps the dimensions of a kernel and describes it. Returns the reason if the kernel has another
/// form.
std::string describeKernel(mlir::Block &body, RowProblem &problem);

/// A description and the copy of a kernel to which it refers, if it does not refer to the kernel
/// itself.
struct RowKernel {
  mlir::OwningOpRef<graph::KernelOp> copy;
  RowProblem problem;
};

/// Describes a copy of a kernel, which stays unchanged. Returns the reason if the kernel has
/// another form.
std::string copyAndDescribe(graph::KernelOp kernel, RowKernel &result);

/// Lowers a kernel function whose configuration is `config`.
mlir::LogicalResult lowerRows(task::KernelOp kernel, const RowProblem &problem, RowsAttr config,
                              const Machine &machine);

} // namespace convoy::kernels
