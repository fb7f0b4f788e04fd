// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the code that connects a model to the runtime inside its shared library: the record of
// runtime/core/library.h, the table of convoy/table.h, the constructor that checks the CPU, and
// the exported functions other than <model>_run.

#pragma once

#include "Codegen/LLVM/ModelInterface.h"
#include "Codegen/LLVM/Object.h"
#include "Codegen/LLVM/Options.h"

namespace convoy::codegen {

/// Emits the object file for the baseline of the target's architecture, because it must run on
/// a CPU that cannot run the model's code. `interface` is complete, both hashes included.
llvm::Expected<ObjectBytes> emitGlue(const ModelInterface &interface,
                                     const CodegenOptions &options);

/// Returns libconvoy_runtime.a for the target's architecture, which is linked with the glue.
/// The error describes how to build a compiler that contains it.
llvm::Expected<llvm::StringRef> runtimeArchive(const targets::Target &target);

/// Returns the program that runs one model of the target's architecture on files, if the
/// architecture differs from this machine's. See runtime/runner/runner.c.
llvm::Expected<llvm::StringRef> foreignRunner(const targets::Target &target);

} // namespace convoy::codegen
