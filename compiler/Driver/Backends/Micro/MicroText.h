// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generates the parts of a microcontroller's program that depend on the model or on the target's
// memories: program.c of runtime/micro/micro.h, and the linker script.

#pragma once

#include "Codegen/LLVM/ModelInterface.h"
#include "Targets/Target.h"

namespace convoy::driver {

/// The function of program.c that provides the rows of inputs.
inline constexpr llvm::StringLiteral kRowReader = "convoy_micro_read_row";

/// Returns the text of program.c: the buffers of the model and a run on them.
std::string microProgramText(const codegen::ModelInterface &interface,
                             const targets::Target &target);

/// Returns the text of the linker script. The memory with index N has the name "memory_N".
std::string linkerScriptText(const targets::Target &target, int64_t stackBytes);

/// Returns the memories that may hold a part: "code", "weights", "data" or "stack". The fastest one
/// is first; for weights, memories that are not for data precede the others.
std::vector<const targets::Memory *> memoriesFor(const targets::Target &target,
                                                 llvm::StringRef part);

/// Returns the first of memoriesFor(). The parser of descriptions guarantees that there is one.
const targets::Memory &memoryFor(const targets::Target &target, llvm::StringRef part);

} // namespace convoy::driver
