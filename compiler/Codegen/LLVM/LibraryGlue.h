// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What joins a model's code to the runtime inside its shared library: the record
// of runtime/core/library.h, the constructor that checks the CPU, and the exported
// functions beside <model>_run.

#pragma once

#include "Codegen/LLVM/ModelInterface.h"
#include "Codegen/LLVM/Object.h"
#include "Codegen/LLVM/Options.h"

namespace convoy::codegen {

/// Emits the object, in code that every CPU of the target's architecture runs: it
/// must be able to say that the model's own code cannot. `weightsHash` is 32
/// hexadecimal digits.
llvm::Expected<ObjectBytes> emitGlue(const ModelInterface &interface, const CodegenOptions &options,
                                     llvm::StringRef weightsHash);

/// libconvoy_runtime.a for the target's architecture, to be linked beside the glue. An
/// error says how to build a compiler that has it.
llvm::Expected<llvm::StringRef> runtimeArchive(const targets::Target &target);

/// The program that runs one model of the target's architecture on files, where that
/// is another than this machine's: see runtime/runner/runner.c.
llvm::Expected<llvm::StringRef> foreignRunner(const targets::Target &target);

} // namespace convoy::codegen
