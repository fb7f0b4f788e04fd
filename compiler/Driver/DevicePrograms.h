// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The programs of a compiled module, and what a device's model of time says of their
// layers.

#pragma once

#include "Accelerators/Accelerator.h"
#include "convoy/artefact.h"
#include "mlir/IR/BuiltinOps.h"

namespace convoy::driver {

/// The programs of all regions, in the frame of convoy/device.h, after the device stage.
std::vector<std::vector<uint8_t>> programsOf(mlir::ModuleOp module);

/// The commands of a program; empty for bytes that are none.
llvm::ArrayRef<uint8_t> commandsOf(llvm::ArrayRef<uint8_t> program);

/// Runs each program on the device's simulator for its time only; empty for a device
/// without a model of time, and an error for a program that does not run.
llvm::Expected<std::vector<DeviceLayer>> timeLayers(mlir::ModuleOp module,
                                                    const accelerators::Accelerator &device);

} // namespace convoy::driver
