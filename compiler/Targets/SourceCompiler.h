// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command that compiles emitted C for a target which names none.

#pragma once

#include "Targets/Target.h"

namespace convoy::targets {

/// `cc` and the flags that allow it the features of `target` which emitted C gains
/// from: vectors, fused multiply-adds, dot products. Never -march=native: a compiler
/// may know a feature of the CPU only in part (clang 19 warns of AVX10.1), and may not
/// know others.
std::vector<std::string> deriveSourceCompiler(const Target &target);

} // namespace convoy::targets
