// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A convcore function on a device's simulator, and what the reference makes of it.

#pragma once

#include "Accelerators/Registry.h"
#include "mlir/IR/OwningOpRef.h"
#include "reference/Reference.h"

namespace convoy::accelerators {

/// Lowers the function for the device, loads the program and runs it through the
/// table of functions. Fails with an error of the context.
mlir::FailureOr<std::vector<Tensor>>
runOnDevice(mlir::func::FuncOp function, const Accelerator &device, llvm::ArrayRef<Tensor> inputs);

/// Numbers from a small range, exact in every type, so that sums are too.
Tensor smallNumbers(mlir::Type type, uint32_t seed);

} // namespace convoy::accelerators
