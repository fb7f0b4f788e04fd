// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The verbs of `convoy`. Each verb prints its result to `out` and problems and progress to `err`,
// and returns the exit code.

#pragma once

#include "convoy/result.h"
#include "report/ProblemsJson.h"
#include "tools/convoy/Options.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace convoy::tool {

/// Exit codes of all tools.
enum ExitCode { kDone = 0, kUserError = 1, kUnsupported = 2, kBug = 3 };

struct Console {
  llvm::raw_ostream &out, &err;
  bool isTerminal = false; // whether `err` is a terminal, which shows progress
  bool isQuiet = false;    // --quiet: no progress and no summaries
  unsigned columns = 80;   // of the terminal
  JsonFlag json = {};      // --json, for the problems of a verb that fails
  /// Where the progress line goes, with its control characters; null: `err`.
  llvm::raw_ostream *terminal = nullptr;

  /// Returns where a summary goes: nowhere with --quiet.
  llvm::raw_ostream &summary() { return isQuiet ? llvm::nulls() : out; }
};

/// Returns 0 without errors, 3 if an error is a bug in Convoy, 2 if every error is an unsupported
/// feature, otherwise 1. Missing memory is an error of the user.
ExitCode exitCodeOf(const Problems &problems);

/// Prints errors and warnings, one line each, followed by their notes.
void print(llvm::raw_ostream &os, const Problems &problems);

using report::warningsToJson;

/// Prints the problems of a failed verb, with --json also as JSON, and returns its exit code. If
/// the code is 3 and no problem has a reproducer, writes one with the command line.
ExitCode fail(const Problems &problems, Console &console);
ExitCode fail(llvm::Error error, Console &console);

ExitCode compile(const CompileFlags &options, Console &console);
ExitCode run(const RunFlags &options, Console &console);
ExitCode check(const CheckFlags &options, Console &console);
ExitCode reduce(const ReduceFlags &options, Console &console);
ExitCode bench(const BenchFlags &options, Console &console);
ExitCode quantize(const QuantizeFlags &options, Console &console);
ExitCode tune(const TuneFlags &options, Console &console);
ExitCode jobs(const JobsFlags &options, Console &console);
ExitCode devices(const DevicesFlags &options, Console &console);
ExitCode records(const RecordsFlags &options, Console &console);
ExitCode explain(const ExplainFlags &options, Console &console);
ExitCode report(const ReportFlags &options, Console &console);
ExitCode sweep(const SweepFlags &options, Console &console);
ExitCode inspect(const InspectFlags &options, Console &console);
ExitCode verify(const VerifyFlags &options, Console &console);
ExitCode listOps(const OpsFlags &options, Console &console);
ExitCode listTargets(const TargetsFlags &options, Console &console);
/// Prints the versions of Convoy, LLVM, ONNX and the runtime interface for --version.
ExitCode printVersion(const JsonFlag &json, Console &console);
/// Prints the stages of a compilation in order for --help-stages.
ExitCode listStages(bool isMarkdown, Console &console);

} // namespace convoy::tool
