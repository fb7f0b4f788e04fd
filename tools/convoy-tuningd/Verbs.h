// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The verbs of convoy-tuningd. Each addX is in the file of its verb: it adds the flags and stores
// in `run` what the verb does.

#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace convoy::tuningd {

/// Exit codes, the same as for `convoy`.
enum ExitCode { kDone = 0, kUserError = 1, kUnsupported = 2, kBug = 3 };

using Run = std::function<ExitCode()>;

void addServe(CLI::App &app, Run &run);
void addSimulate(CLI::App &app, Run &run);

} // namespace convoy::tuningd
