// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the numbers of a `rows` configuration in isolation.

#include "Kernels/CheckNumbers.h"
#include "Kernels/Kernel.h"

using namespace mlir;

namespace convoy::kernels {

/// A step is unrolled, so its vectors determine the size of the code.
static constexpr int64_t kMostVectors = 64;

LogicalResult RowsAttr::verify(EmitError emitError, int64_t rows, int64_t vectors, int64_t terms) {
  if (failed(checkNumbers(emitError, {{"rows", rows}, {"vectors", vectors}, {"terms", terms}}))) {
    return failure();
  }
  if (rows * vectors > kMostVectors) {
    return emitError() << "expects at most " << kMostVectors << " vectors per step, got " << rows
                       << " rows x " << vectors << " vectors";
  }
  return success();
}

} // namespace convoy::kernels
