// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derives the command that compiles emitted C for a target without one.

#pragma once

#include "Targets/Target.h"

namespace convoy::targets {

/// Returns `cc` and the flags for the features of `target` from which emitted C
/// benefits: vectors, fused multiply-adds and dot products. Never returns
/// -march=native: a compiler may support a CPU feature only in part (clang 19
/// warns about AVX10.1) or not at all.
std::vector<std::string> deriveSourceCompiler(const Target &target);

} // namespace convoy::targets
