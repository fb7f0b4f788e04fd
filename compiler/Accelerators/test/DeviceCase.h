// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a convcore function on a device's simulator, for comparison with the reference.

#pragma once

#include "Accelerators/Registry.h"
#include "mlir/IR/OwningOpRef.h"
#include "reference/Reference.h"

namespace convoy::accelerators {

/// Lowers the function for the device, loads the program and runs it through the function table.
/// Fails with an error of the context.
mlir::FailureOr<std::vector<Tensor>>
runOnDevice(mlir::func::FuncOp function, const Accelerator &device, llvm::ArrayRef<Tensor> inputs);

/// Returns numbers from a small range, which are exact in every type, so that sums are exact too.
Tensor smallNumbers(mlir::Type type, uint32_t seed);

} // namespace convoy::accelerators
