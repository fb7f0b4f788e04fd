// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the numbers of a configuration in isolation. The verifiers of the configuration attributes
// use it. The template checks whether a configuration fits a kernel.

#pragma once

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace convoy::kernels {

using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;

struct Number {
  llvm::StringRef name;
  int64_t value;
  int64_t least = 1;
};

/// Fails with an error if a number is out of range.
mlir::LogicalResult checkNumbers(EmitError emitError, llvm::ArrayRef<Number> numbers);

/// Fails with an error if one step of the innermost loop has too many unrolled products.
mlir::LogicalResult checkProducts(EmitError emitError, int64_t products);

} // namespace convoy::kernels
