// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares builds for microcontrollers, for `convoy bench --compare`.

#pragma once

#include "report/MicroBuild.h"
#include "tools/convoy/Options.h"
#include "tools/convoy/Verbs.h"
#include <optional>

namespace convoy::tool {

/// Compares the files of --compare if both have builds for microcontrollers; nullopt if neither
/// has. Exits with 1 if a build needs more instructions, flash or RAM in the second file.
std::optional<ExitCode> compareMicroBuilds(const BenchFlags &options, Console &console);

} // namespace convoy::tool
