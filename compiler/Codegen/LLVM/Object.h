// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a module of the LLVM dialect to the bytes of an object file.

#pragma once

#include "Codegen/LLVM/Options.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace convoy::codegen {

using ObjectBytes = llvm::SmallVector<char, 0>;

/// Creates LLVM's code generator for the target with Convoy's float policy. It uses only the
/// features of the target description; tuneFor() schedules a module for the target's CPU.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createMachine(const CodegenOptions &options);

/// Schedules the functions of the module for the target's CPU.
void tuneFor(llvm::Module &module, const targets::Target &target);

/// Compiles a module after the codegen stage. The bytes depend only on the module and the
/// options. If the object needs symbols that a compiled model cannot find, the error lists
/// them. Errors in the IR are also diagnostics.
llvm::Expected<ObjectBytes> emitObject(mlir::ModuleOp module, const CodegenOptions &options);

/// Returns the functions of the C library that compiled models may call.
llvm::ArrayRef<llvm::StringRef> allowedLibraryCalls();

/// Returns the functions of the runtime that models for several threads call.
llvm::ArrayRef<llvm::StringRef> runtimeFunctions();

} // namespace convoy::codegen
