// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the numbers of a product configuration in isolation.

#include "Kernels/CheckNumbers.h"
#include "Kernels/Kernel.h"

using namespace mlir;

namespace convoy::kernels {

LogicalResult ProductAttr::verify(EmitError emitError, int64_t rows, int64_t vectors, int64_t depth,
                                  int64_t columns, int64_t unroll, int64_t pack) {
  if (failed(checkNumbers(emitError, {{"rows", rows},
                                      {"vectors", vectors},
                                      {"depth", depth},
                                      {"columns", columns},
                                      {"unroll", unroll},
                                      {"pack", pack, 0}}))) {
    return failure();
  }
  if (pack > 1) {
    return emitError() << "expects pack to be 0 or 1, got " << pack;
  }
  // Each factor is at most 2^20, so the products do not overflow.
  return checkProducts(emitError, rows * vectors * unroll);
}

} // namespace convoy::kernels
