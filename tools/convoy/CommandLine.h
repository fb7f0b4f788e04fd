// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The verbs of `convoy` with their flags. Each addX is in the file named after its group:
// CompileArguments.cpp, MeasureArguments.cpp, QuantizeArguments.cpp, RecordsArguments.cpp,
// ServiceArguments.cpp, ListArguments.cpp.

#pragma once

#include "FlagKinds.h"
#include "HelpText.h"
#include "Verbs.h"
#include <functional>

namespace convoy::tool {

/// The help of --service-certs, which many verbs have.
inline constexpr char kServiceCertsHelp[] =
    "Read the certificates for a tuning service from DIR: ca.crt, client.crt and client.key "
    "(default: .config/convoy/certs in the home folder).";

class CommandLine {
public:
  /// With `isAll`, the help shows every flag, else the everyday flags.
  explicit CommandLine(bool isAll);
  CommandLine(const CommandLine &) = delete;
  CommandLine &operator=(const CommandLine &) = delete;

  /// Adds a verb. `run` is called if the command line names the verb.
  CLI::App &addVerb(const char *name, const char *help, std::function<ExitCode(Console &)> run);
  /// Adds a verb below `parent`.
  CLI::App &addVerb(CLI::App &parent, const char *name, const char *help,
                    std::function<ExitCode(Console &)> run);

  /// Flags that --help shows, and flags that only --help-all shows.
  static Flags everyday(CLI::App &verb) { return {verb, kEverydayFlags}; }
  static Flags rare(CLI::App &verb) { return {verb, kRareFlags}; }
  /// --json[=FILE] and --quiet, the last flags of every verb.
  void addResultFlags(CLI::App &verb, JsonFlag &json);

  /// Runs the verb that was parsed.
  ExitCode call(Console &console) const;

  CLI::App app;

private:
  struct Verb {
    CLI::App *app;
    std::function<ExitCode(Console &)> run;
  };
  std::vector<Verb> verbs;
  bool isQuiet = false;
};

void addCompile(CommandLine &line);
void addRun(CommandLine &line);
void addCheck(CommandLine &line);
void addBench(CommandLine &line);
void addTune(CommandLine &line);
void addQuantize(CommandLine &line);
void addSweep(CommandLine &line);
void addJobs(CommandLine &line);
void addDevices(CommandLine &line);
void addRecords(CommandLine &line);
void addReport(CommandLine &line);
void addExplain(CommandLine &line);
void addInspect(CommandLine &line);
void addOps(CommandLine &line);
void addTargets(CommandLine &line);

} // namespace convoy::tool
