// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the numbers of an attention configuration in isolation.

#include "Kernels/CheckNumbers.h"
#include "Kernels/Kernel.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace convoy::kernels {

LogicalResult AttentionAttr::verify(EmitError emitError, int64_t queries, int64_t keys,
                                    int64_t chunk, int64_t vectors, int64_t unroll, int64_t pack) {
  if (failed(checkNumbers(emitError, {{"queries", queries},
                                      {"keys", keys},
                                      {"chunk", chunk},
                                      {"vectors", vectors},
                                      {"unroll", unroll},
                                      {"pack", pack, 0}}))) {
    return failure();
  }
  if (queries % vectors != 0 || !llvm::isPowerOf2_64(queries / vectors)) {
    return emitError() << "expects queries / vectors to be a power of two, got " << queries << " / "
                       << vectors;
  }
  if (queries % unroll != 0) {
    return emitError() << "expects queries to be a multiple of unroll, got " << queries << " and "
                       << unroll;
  }
  if (chunk < keys) {
    return emitError() << "expects a chunk of at least one tile of keys, got " << chunk << " and "
                       << keys;
  }
  if (pack > 1) {
    return emitError() << "expects pack 0 or 1, got " << pack;
  }
  return checkProducts(emitError, std::max(keys * vectors, unroll));
}

} // namespace convoy::kernels
