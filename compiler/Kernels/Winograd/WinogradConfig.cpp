// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the numbers of a winograd configuration in isolation.

#include "Kernels/CheckNumbers.h"
#include "Kernels/Kernel.h"

using namespace mlir;

namespace convoy::kernels {

LogicalResult WinogradAttr::verify(EmitError emitError, int64_t block, int64_t tile,
                                   int64_t vectors, int64_t pixels, int64_t groups, int64_t panels,
                                   int64_t depth, int64_t unroll) {
  LogicalResult numbers = checkNumbers(emitError, {{"block", block},
                                                   {"tile", tile},
                                                   {"vectors", vectors},
                                                   {"pixels", pixels},
                                                   {"groups", groups},
                                                   {"panels", panels},
                                                   {"depth", depth},
                                                   {"unroll", unroll}});
  if (failed(numbers)) {
    return numbers;
  }
  if (depth % block != 0) {
    return emitError() << "expects depth to be a multiple of block = " << block << ", got "
                       << depth;
  }
  return checkProducts(emitError, vectors * pixels * std::min(unroll, block));
}

} // namespace convoy::kernels
