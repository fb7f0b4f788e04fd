// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the numbers of a recurrent configuration in isolation.

#include "Kernels/CheckNumbers.h"
#include "Kernels/Kernel.h"

using namespace mlir;

namespace convoy::kernels {

LogicalResult RecurrentAttr::verify(EmitError emitError, int64_t vectors, int64_t depth,
                                    int64_t unroll) {
  LogicalResult numbers =
      checkNumbers(emitError, {{"vectors", vectors}, {"depth", depth}, {"unroll", unroll}});
  if (failed(numbers)) {
    return numbers;
  }
  return checkProducts(emitError, vectors * depth * unroll);
}

} // namespace convoy::kernels
