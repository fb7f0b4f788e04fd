// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the memory that a program for a microcontroller needs with the limits of a request.

#pragma once

#include "Codegen/LLVM/ModelInterface.h"
#include "Driver/Backends/Micro/MicroProgram.h"
#include "convoy/request.h"

namespace convoy::driver {

/// What a program needs, in bytes.
struct MemoryNeed {
  codegen::ModelInterface interface;
  std::string target;
  /// The other compilers of the target, as in `--target=NAME:COMPILER`.
  std::vector<std::string> compilers;
  int64_t stackBytes = 0;
  std::string stackProblem; // why the size of the stack is not a bound; empty: it is a bound
  int64_t ramBytes = 0, flashBytes = 0;
};

MemoryNeed memoryNeedOf(const MicroProgram &program);

/// Returns an error for each limit that is too small: by how many bytes, what the bytes are, which
/// layer makes the peak, and what helps.
llvm::Error checkLimits(const MemoryNeed &need, const MemoryLimits &limits);

} // namespace convoy::driver
