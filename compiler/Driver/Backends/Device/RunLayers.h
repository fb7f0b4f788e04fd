// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs lowered layers on a device's simulator without a model. `convoy check` finds the
// first wrong layer with it.

#pragma once

#include "Accelerators/Accelerator.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "reference/Datum.h"

namespace convoy::driver {

/// Runs a function of layers, after the device's own passes, on the device's simulator. Emits an
/// error if this fails.
mlir::FailureOr<std::vector<reference::Datum>> runLayers(mlir::func::FuncOp layers,
                                                         const accelerators::Accelerator &device,
                                                         llvm::ArrayRef<reference::Datum> inputs);

} // namespace convoy::driver
