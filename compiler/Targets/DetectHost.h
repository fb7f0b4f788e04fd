// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of detectHost that depend on the CPU only, for tests that describe a
// recorded CPU instead of this one.

#pragma once

#include "Targets/Target.h"

struct convoy_x86_source; // NOLINT: of runtime/core/cpu_x86.h, which is C

namespace convoy::targets {

/// The sorted features of an x86 that kernels may use. Features that
/// runtime/core/cpu_features.inc does not list are dropped, so a library never
/// checks for one that the runtime cannot find.
std::vector<std::string> kernelFeatures(const convoy_x86_source &source);

/// Fills in what follows from `triple` and `features`: the vectors, and the command that
/// compiles C.
void describeCpu(Target &target);

} // namespace convoy::targets
