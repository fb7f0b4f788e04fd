// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the numbers of a winograd_pixels configuration in isolation.

#include "Kernels/CheckNumbers.h"
#include "Kernels/Kernel.h"

using namespace mlir;

namespace convoy::kernels {

LogicalResult WinogradPixelsAttr::verify(EmitError emitError, int64_t lanes, int64_t tile,
                                         int64_t channels, int64_t rows, int64_t groups,
                                         int64_t unroll) {
  LogicalResult numbers = checkNumbers(emitError, {{"lanes", lanes},
                                                   {"tile", tile},
                                                   {"channels", channels},
                                                   {"rows", rows},
                                                   {"groups", groups},
                                                   {"unroll", unroll}});
  if (failed(numbers)) {
    return numbers;
  }
  if (!llvm::isPowerOf2_64(static_cast<uint64_t>(lanes))) {
    return emitError() << "expects lanes to be a power of two, got " << lanes;
  }
  return checkProducts(emitError, channels * unroll);
}

} // namespace convoy::kernels
