// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the numbers of a depthwise configuration in isolation.

#include "Kernels/CheckNumbers.h"
#include "Kernels/Kernel.h"

using namespace mlir;

namespace convoy::kernels {

LogicalResult DepthwiseAttr::verify(EmitError emitError, int64_t block, int64_t pixels,
                                    int64_t held, int64_t rows) {
  return checkNumbers(emitError,
                      {{"block", block}, {"pixels", pixels}, {"held", held, 0}, {"rows", rows}});
}

} // namespace convoy::kernels
