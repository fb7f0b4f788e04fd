// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which layer of a device's regions is wrong. Each runs alone on the device's simulator,
// on what the reference gives it; then each region as a whole.

#pragma once

#include "Accelerators/Accelerator.h"
#include "Blame.h"

namespace convoy::driver {

/// Without a wrong layer or region the fault is outside of them, which a note says.
Blame findDeviceBlame(const WrongModel &wrong, const accelerators::Accelerator &device);

/// Lowers a function of convcore ops for the device and runs it on its simulator. An
/// error is emitted.
mlir::FailureOr<std::vector<Datum>> runLayers(mlir::func::FuncOp layers,
                                              const accelerators::Accelerator &device,
                                              llvm::ArrayRef<Datum> inputs);

} // namespace convoy::driver
