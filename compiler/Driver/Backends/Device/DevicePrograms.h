// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Extracts the device programs of a compiled module and times their layers with the
// device's simulator.

#pragma once

#include "Accelerators/Accelerator.h"
#include "Driver/CompileModel.h"
#include "convoy/artifact.h"
#include "mlir/IR/BuiltinOps.h"

namespace convoy::driver {

/// Returns the programs of all regions in the format of convoy/device.h. Needs a module
/// after the device stage.
std::vector<std::vector<uint8_t>> programsOf(mlir::ModuleOp module);

/// Returns the tensors that each program reads and writes, without files. `names` has the names in
/// the order of programsOf.
std::vector<DeviceProgram> linksOf(mlir::ModuleOp module, llvm::ArrayRef<std::string> names);

/// Returns the commands of a program; empty if the bytes are not a program.
llvm::ArrayRef<uint8_t> commandsOf(llvm::ArrayRef<uint8_t> program);

/// Runs each program on the device's simulator and returns the time of each layer. Returns
/// nothing if the simulator has no time model, and an error if a program does not run.
llvm::Expected<std::vector<DeviceLayer>> timeLayers(mlir::ModuleOp module,
                                                    const accelerators::Accelerator &device);

} // namespace convoy::driver
