// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the parts of detectHost that depend only on the CPU. Tests call them
// with a recorded CPU.

#pragma once

#include "Targets/Target.h"

struct convoy_x86_source; // NOLINT: of runtime/core/cpu_x86.h, which is C

namespace convoy::targets {

/// Returns the sorted features of an x86 CPU that kernels may use. Drops
/// features that runtime/core/cpu_features.inc does not list, so that a library
/// never checks for a feature that the runtime cannot detect.
std::vector<std::string> kernelFeatures(const convoy_x86_source &source);

/// Sets the fields that follow from `triple` and `features`: the vector
/// properties and the C compiler command.
void describeCpu(Target &target);

} // namespace convoy::targets
