// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reports of builds for microcontrollers that `convoy bench` and `convoy compile` share.

#pragma once

#include "Options.h"
#include "Verbs.h"
#include "report/MicroBuild.h"
#include <optional>

namespace convoy::tool {

/// Writes the page of a build.
llvm::Error writeMicroPage(const std::string &path, const report::MicroBuild &build);

/// Compares the files of --compare if both have builds for microcontrollers; nullopt if neither
/// has. Exits with 1 if a build needs more instructions, flash or RAM in the second file.
std::optional<ExitCode> compareMicroBuilds(const BenchFlags &options, Console &console);

} // namespace convoy::tool
