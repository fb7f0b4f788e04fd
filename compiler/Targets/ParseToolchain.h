// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts the fields of a microcontroller's description: placement of memories, cycles of
// instructions and the tool chain. Only ParseTarget.cpp uses it.

#pragma once

#include "Targets/FieldReader.h"
#include "Targets/Target.h"

namespace convoy::targets {

/// Reads the optional fields of a memory: its address, its speed and what may live in it.
void readPlacement(FieldReader &fields, Memory &memory);
void writePlacement(const Memory &memory, llvm::json::Object &object);

/// Reads the optional fields `instructionCycles` and `toolchain`. The default compiler of the tool
/// chain becomes the compiler of emitted C.
void readMicrocontroller(FieldReader &fields, Target &target);
void writeMicrocontroller(const Target &target, llvm::json::Object &object);

/// Returns why a program for the target cannot be linked, for example because no memory holds
/// its stack; empty if the target has no tool chain or all parts have a memory.
std::string checkToolchain(const Target &target);

} // namespace convoy::targets
