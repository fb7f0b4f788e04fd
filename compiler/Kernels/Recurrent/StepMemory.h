// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scratch memory of a scan.

#pragma once

#include "Kernels/Recurrent/ScanKernel.h"
#include "llvm/ADT/MapVector.h"

namespace convoy::kernels {

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
