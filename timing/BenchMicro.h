// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes a model that was compiled for a microcontroller, for `convoy compile` and `convoy
// bench`. The emulator executes the program, so counts are exact and equal on every run. They are
// not cycles.

#pragma once

#include "Targets/Target.h"
#include "convoy/artifact.h"
#include "report/MicroBuild.h"

namespace convoy::timing {

/// Describes a model that was compiled for a microcontroller, without counted instructions and
/// without the sizes of a linked program. Calls of one kernel for the same nodes are one layer.
report::MicroBuild describeBuild(const CompileReport &compiled, const targets::Target &target);

/// Writes the page of a build.
llvm::Error writePage(const std::string &path, const report::MicroBuild &build);

} // namespace convoy::timing
