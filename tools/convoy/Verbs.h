// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The verbs of `convoy`. Each prints its result to `out`, problems and progress
// to `err`, and returns the exit code.

#pragma once

#include "Options.h"
#include "convoy/result.h"
#include "llvm/Support/raw_ostream.h"

namespace convoy::tool {

/// Exit codes of all tools.
enum ExitCode { kDone = 0, kUserError = 1, kUnsupported = 2, kBug = 3 };

struct Console {
  llvm::raw_ostream &out, &err;
  bool isTerminal = false; // whether err is one, and progress is shown
};

/// 0 without errors; 3 with a bug of ours; 2 when every error is something not supported;
/// else 1.
ExitCode exitCodeOf(const Problems &problems);

/// Prints errors and warnings, one line each, notes below.
void print(llvm::raw_ostream &os, const Problems &problems);

/// Prints the problems of a failed verb and returns its exit code. If the code is 3 and no
/// problem names a reproducer, writes one with the command line.
ExitCode fail(const Problems &problems, Console &console);

ExitCode compile(const CompileOptions &options, Console &console);
ExitCode run(const RunOptions &options, Console &console);
ExitCode check(const CheckOptions &options, Console &console);
ExitCode bench(const BenchOptions &options, Console &console);
ExitCode tune(const TuneOptions &options, Console &console);
ExitCode records(const RecordsOptions &options, Console &console);
ExitCode explain(const ExplainOptions &options, Console &console);
ExitCode report(const ReportOptions &options, Console &console);
ExitCode sweep(const SweepOptions &options, Console &console);
ExitCode inspect(const InspectOptions &options, Console &console);
ExitCode listOps(const OpsOptions &options, Console &console);
ExitCode listTargets(const TargetsOptions &options, Console &console);
/// --help-stages: the stages of a compile, in order.
ExitCode listStages(bool isMarkdown, Console &console);

} // namespace convoy::tool
