// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The verbs of `convoy`. Each prints its result to `out`, problems and progress
// to `err`, and returns the exit code.

#pragma once

#include "DiagnosticLog.h"
#include "Options.h"

namespace convoy::driver {

struct Console {
  llvm::raw_ostream &out, &err;
  bool isTerminal = false; // whether err is one, and progress is shown
};

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
/// `inspect` of a file for an accelerator, which is told by its ending.
ExitCode inspectLoadable(const InspectOptions &options, Console &console);
ExitCode listOps(const OpsOptions &options, Console &console);
ExitCode listTargets(const TargetsOptions &options, Console &console);
/// --help-stages: the stages of a compile, in order.
ExitCode listStages(bool isMarkdown, Console &console);

} // namespace convoy::driver
