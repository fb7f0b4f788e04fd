// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers of a device without a model around them.

#pragma once

#include "Accelerators/Accelerator.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "reference/Datum.h"

namespace convoy::driver {

/// Lowers a function of convcore ops for the device and runs it on its simulator. An
/// error is emitted.
mlir::FailureOr<std::vector<reference::Datum>> runLayers(mlir::func::FuncOp layers,
                                                         const accelerators::Accelerator &device,
                                                         llvm::ArrayRef<reference::Datum> inputs);

} // namespace convoy::driver
