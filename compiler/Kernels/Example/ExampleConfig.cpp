// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the numbers of an example configuration in isolation.

#include "Kernels/CheckNumbers.h"
#include "Kernels/Kernel.h"

using namespace mlir;

namespace convoy::kernels {

LogicalResult ExampleAttr::verify(EmitError emitError, int64_t lanes, int64_t unroll) {
  if (failed(checkNumbers(emitError, {{"lanes", lanes}, {"unroll", unroll}}))) {
    return failure();
  }
  return checkProducts(emitError, unroll);
}

} // namespace convoy::kernels
