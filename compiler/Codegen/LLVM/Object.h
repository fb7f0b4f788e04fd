// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a module of the LLVM dialect to the bytes of an object file.

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

/// LLVM's code generator for the target, set to our float policy. It uses the features of
/// the description and no others; tuneFor schedules a module for the target's CPU.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createMachine(const CodegenOptions &options);

/// Schedules the functions of the module for the target's CPU.
void tuneFor(llvm::Module &module, const targets::Target &target);

/// Compiles the module, which has passed the codegen stage. The bytes depend on
/// the module and the options alone. An error lists symbols that a compiled model
/// could not find when it is loaded; problems of the IR are diagnostics as well.
llvm::Expected<ObjectBytes> emitObject(mlir::ModuleOp module, const CodegenOptions &options);

/// The functions of the C library that compiled models may call.
llvm::ArrayRef<llvm::StringRef> allowedLibraryCalls();

/// Those of the runtime, which models for more than one thread call.
llvm::ArrayRef<llvm::StringRef> runtimeFunctions();

} // namespace convoy::codegen
