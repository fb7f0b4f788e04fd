// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a module that has been through its stages to something that runs in this process.
// Each loader returns null after a diagnostic.

#pragma once

#include "Accelerators/Accelerator.h"
#include "Codegen/C/Options.h"
#include "Codegen/LLVM/ModelInterface.h"
#include "Codegen/LLVM/Options.h"
#include "Driver/LoadedProgram.h"
#include "convoy/device.h"
#include "mlir/IR/OwningOpRef.h"

namespace convoy::driver {

/// The target cannot run anything here: the error says why. To be asked before the work
/// that would be in vain.
llvm::Error checkRunnable(const targets::Target &machine);

/// Code that this CPU runs is loaded; other code is run by the target's emulator.
/// `interface` is filled for the summary.
std::unique_ptr<Executable> loadMachine(mlir::ModuleOp module,
                                        const codegen::CodegenOptions &options,
                                        codegen::ModelInterface &interface);

/// Loads the code and gives it `table`, or the device's simulator when that is null, as a
/// program gives it a driver.
std::unique_ptr<Executable> loadDevice(mlir::ModuleOp module,
                                       const codegen::CodegenOptions &options,
                                       const accelerators::Accelerator &device,
                                       const convoy_device *table,
                                       codegen::ModelInterface &interface);

/// Emits C, compiles it with `compiler` (OutputRequest::cCompiler) and loads the result.
std::unique_ptr<Executable> loadSource(mlir::ModuleOp module, const codegen::SourceOptions &options,
                                       const std::string &compiler,
                                       codegen::ModelInterface &interface);

/// Keeps a module of executable ops for the interpreter.
std::unique_ptr<Executable> loadReference(mlir::OwningOpRef<mlir::ModuleOp> module);

} // namespace convoy::driver
