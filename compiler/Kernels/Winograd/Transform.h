// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The transforms of one dimension, as code on vectors.

#pragma once

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/SmallVector.h"

namespace convoy::kernels {

/// A row of `tile` + 2 pixels at all frequencies.
llvm::SmallVector<mlir::Value> transformInput(mlir::ImplicitLocOpBuilder &b, int64_t tile,
                                              llvm::ArrayRef<mlir::Value> pixels);

/// A row of products, one per frequency, as `tile` results.
llvm::SmallVector<mlir::Value> transformOutput(mlir::ImplicitLocOpBuilder &b, int64_t tile,
                                               llvm::ArrayRef<mlir::Value> products);

} // namespace convoy::kernels
