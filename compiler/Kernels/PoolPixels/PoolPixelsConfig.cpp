// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the numbers of a pool_pixels configuration in isolation.

#include "Kernels/CheckNumbers.h"
#include "Kernels/Kernel.h"

using namespace mlir;

namespace convoy::kernels {

LogicalResult PoolPixelsAttr::verify(EmitError emitError, int64_t lanes, int64_t rows) {
  return checkNumbers(emitError, {{"lanes", lanes}, {"rows", rows}});
}

} // namespace convoy::kernels
