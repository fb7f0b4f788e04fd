// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds a program from emitted C for another machine with an operating system. The tuner counts
// the instructions of such a program under the target's emulator.

#pragma once

#include "Targets/Target.h"

namespace convoy::driver {

/// The files of a model that was emitted as C.
struct EmittedFiles {
  std::string source;                          // <model>.c
  std::string weightsAssembly;                 // empty: the source contains the weights
  std::vector<std::string> customSources = {}; // C files of custom ops
  std::vector<std::string> customFolders = {}; // of the user's headers that these files include
};

/// Compiles a model with the target's C compiler and links it statically with a function main: the
/// arguments of the program are a file per input, then a file per output. Instructions mark the
/// layers (runtime/micro/count_instructions.c). The target must be a RISC-V machine.
llvm::Error buildSourceProgram(const EmittedFiles &files, const targets::Target &target,
                               const std::string &program);

/// Returns whether programs for the target are emitted C, because this build of Convoy has no
/// runtime for its libraries.
bool isBuiltFromSource(const targets::Target &target);

} // namespace convoy::driver
