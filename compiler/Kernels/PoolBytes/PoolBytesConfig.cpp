// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks a pool_bytes configuration in isolation.

#include "Kernels/CheckNumbers.h"
#include "Kernels/Kernel.h"

using namespace mlir;

namespace convoy::kernels {

LogicalResult PoolBytesAttr::verify(EmitError emitError, int64_t rows) {
  if (rows != 1) {
    return emitError() << "expects one row per step, got " << rows;
  }
  return success();
}

} // namespace convoy::kernels
