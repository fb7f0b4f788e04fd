// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the numbers of a conv_pixels configuration in isolation.

#include "Kernels/CheckNumbers.h"
#include "Kernels/Kernel.h"

using namespace mlir;

namespace convoy::kernels {

LogicalResult ConvPixelsAttr::verify(EmitError emitError, int64_t lanes, int64_t channels,
                                     int64_t rows, int64_t unroll) {
  LogicalResult numbers = checkNumbers(
      emitError, {{"lanes", lanes}, {"channels", channels}, {"rows", rows, 0}, {"unroll", unroll}});
  if (failed(numbers)) {
    return numbers;
  }
  return checkProducts(emitError, channels * unroll);
}

} // namespace convoy::kernels
