// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the numbers of a configuration in isolation.

#include "Kernels/CheckNumbers.h"
#include "Kernels/Kernel.h"

using namespace mlir;

namespace convoy::kernels {

LogicalResult ProductBytesAttr::verify(EmitError emitError, int64_t rows, int64_t vectors,
                                       int64_t depth, int64_t columns, int64_t unroll,
                                       int64_t tiles) {
  return success();
}

} // namespace convoy::kernels
