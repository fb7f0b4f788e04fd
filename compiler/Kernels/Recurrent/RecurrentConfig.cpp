// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the numbers of a configuration in isolation.

#include "Kernels/CheckNumbers.h"
#include "Kernels/Kernel.h"

using namespace mlir;

namespace convoy::kernels {

LogicalResult RecurrentAttr::verify(EmitError emitError, int64_t vectors, int64_t depth,
                                    int64_t unroll) {
  return success();
}

} // namespace convoy::kernels
