// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the numbers of a configuration against limits that keep code generation time bounded.

#include "Kernels/CheckNumbers.h"

using namespace mlir;

namespace convoy::kernels {

// No useful configuration is near these limits.
static constexpr int64_t kMostNumber = 1 << 20;
static constexpr int64_t kMostUnrolled = 1 << 14;

LogicalResult checkNumbers(EmitError emitError, llvm::ArrayRef<Number> numbers) {
  for (const Number &number : numbers) {
    if (number.value < number.least || number.value > kMostNumber) {
      return emitError() << "expects " << number.name << " from " << number.least << " to "
                         << kMostNumber << ", got " << number.value;
    }
  }
  return success();
}

LogicalResult checkProducts(EmitError emitError, int64_t products) {
  if (products > kMostUnrolled) {
    return emitError() << "expects at most " << kMostUnrolled << " unrolled products per step, got "
                       << products;
  }
  return success();
}

} // namespace convoy::kernels
