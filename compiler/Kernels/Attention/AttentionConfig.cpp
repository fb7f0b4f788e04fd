// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the numbers of a configuration in isolation.

#include "Kernels/CheckNumbers.h"
#include "Kernels/Kernel.h"

using namespace mlir;

namespace convoy::kernels {

LogicalResult AttentionAttr::verify(EmitError emitError, int64_t queries, int64_t keys,
                                    int64_t vectors, int64_t unroll, int64_t pack) {
  return success();
}

} // namespace convoy::kernels
