// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The phases of a step of a scan, and its scratch memory. Tasks that run concurrently can execute
// the parts of one phase, because a phase reads only what earlier phases stored.

#pragma once

#include "Kernels/Recurrent/ScanKernel.h"
#include "llvm/ADT/MapVector.h"
#include <vector>

namespace convoy::kernels {

/// The values that a phase stores. The first phase also copies the slices of the scanned inputs,
/// the last one also computes the yielded values.
struct StepPhase {
  /// Operands of later products that are not in memory.
  llvm::SmallVector<mlir::Value> operands;
  llvm::SmallVector<graph::MatMulOp> products;
};

/// Returns the phases of a step, in order:
///
///     LSTM    h x R, slices of x | yield
///     GRU     h x R, slices of x | r * h | (r * h) x R | yield     # reset before the product
std::vector<StepPhase> phasesOf(const ScanKernel &kernel);

/// Assigns scratch memory to values of the body. Each value has all rows of the batch, so offsets
/// are those of its tensor. A state has memory for even and for odd steps.
struct StepMemory {
  /// `lanes` is the width of the vectors of a product, whose last one may extend beyond the result.
  StepMemory(const ScanKernel &kernel, int64_t lanes);

  llvm::MapVector<mlir::Value, int64_t> first; // byte offsets
  llvm::SmallVector<int64_t> stateBytes;       // by state: bytes from its even to its odd memory
  int64_t bytes = 0;

private:
  void place(mlir::Value value, int64_t slack);
};

} // namespace convoy::kernels
