// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads a module that has passed all stages into this process. One loader per kind of
// target. A loader that fails emits a diagnostic and returns null.

#pragma once

#include "Accelerators/Accelerator.h"
#include "Codegen/C/Options.h"
#include "Codegen/LLVM/ModelInterface.h"
#include "Codegen/LLVM/Options.h"
#include "Driver/LoadedProgram.h"
#include "convoy/device.h"
#include "convoy/request.h"
#include "mlir/IR/OwningOpRef.h"

namespace convoy::driver {

/// Returns an error if this machine cannot run code for the target. Callers check this
/// before they compile.
llvm::Error checkRunnable(const targets::Target &machine);

/// Loads the code if this CPU can run it; else the target's emulator runs the code. Fills
/// `interface` for the summary.
std::unique_ptr<Executable> loadMachine(mlir::ModuleOp module,
                                        const codegen::CodegenOptions &options,
                                        codegen::ModelInterface &interface);

/// Loads the code and passes `table` to it as the device's driver. If `table` is null, the
/// loader passes the device's simulator.
std::unique_ptr<Executable> loadDevice(mlir::ModuleOp module,
                                       const codegen::CodegenOptions &options,
                                       const accelerators::Accelerator &device,
                                       const convoy_device *table,
                                       codegen::ModelInterface &interface);

/// Emits C, compiles it with `compiler` (OutputRequest::cCompiler) and loads the result.
std::unique_ptr<Executable> loadSource(mlir::ModuleOp module, const codegen::SourceOptions &options,
                                       const std::string &compiler,
                                       codegen::ModelInterface &interface);

/// Emits C, builds a program with the tool chain of the target, which must have one, and runs the
/// program under the target's emulator. Fails if the program exceeds the limits.
std::unique_ptr<Executable> loadMicro(mlir::ModuleOp module, const codegen::SourceOptions &options,
                                      const MemoryLimits &limits,
                                      codegen::ModelInterface &interface);

/// Keeps a module for the interpreter. All ops of the module must be executable.
std::unique_ptr<Executable> loadReference(mlir::OwningOpRef<mlir::ModuleOp> module);

} // namespace convoy::driver
